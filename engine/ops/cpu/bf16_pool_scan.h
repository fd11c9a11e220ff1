// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "engine/ops/cpu/ranked_entries.h"
#include "engine/ops/cpu/stored_keys.h"

namespace carryover::ops {

/// Returns true if scan_pool_bf16() should be used: for many bf16 summaries of bf16 keys, on a processor with bf16 dot
/// products.
bool scans_in_bf16(const StoredKeys& keys, const at::Tensor& summaries);

/// scan_pool() by the processor's bf16 matmuls, which multiply exactly and sum in fp32. Threads divide the summaries.
/// A score's bits depend on its summary and its key alone.
RankedEntries scan_pool_bf16(const StoredKeys& keys, std::int64_t entries, const at::Tensor& summaries,
                             const std::vector<std::int32_t>& head_slot, std::int64_t k);

}  // namespace carryover::ops
