// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "engine/ops/cpu/ranked_entries.h"
#include "engine/ops/cpu/stored_keys.h"

namespace carryover::ops {

/// pool_topk() on the CPU. All threads together read the keys once, whatever the number of summaries. A score is summed
/// along d in keys.opmath_type(), so that neither the number of threads nor a key's place in the pool changes a bit of
/// it. keys: on the CPU, [slots, ≥ entries, d], dense; summaries: [heads, n, d]; head_slot: [heads]; k > 0. Thread:
/// engine.
RankedEntries scan_pool(const StoredKeys& keys, std::int64_t entries, const at::Tensor& summaries,
                        const std::vector<std::int32_t>& head_slot, std::int64_t k);

}  // namespace carryover::ops
