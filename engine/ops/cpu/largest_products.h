// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include "engine/ops/cpu/stored_keys.h"

namespace carryover::ops {

/// largest_products() on the CPU: keys are read once, by all threads, and no product is kept but the largest. bf16
/// probes against bf16 keys go to the processor's bf16 dot products where it has them: two exact products are added to
/// an fp32 sum at a time. Any other: sums from the first place to the last, each product rounded with its sum or by
/// itself as the processor has it. A NaN among a key's products makes its result NaN. Thread: engine.
at::Tensor scan_largest_products(const StoredKeys& keys, std::int64_t slot, std::int64_t first, std::int64_t count,
                                 const at::Tensor& probes, const at::Tensor& offsets);

}  // namespace carryover::ops
