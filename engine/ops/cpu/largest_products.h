// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include "engine/ops/cpu/stored_keys.h"

namespace carryover::ops {

/// largest_products() on the CPU: keys are read once, by all threads, and only the largest products are kept. bf16
/// probes against bf16 keys use the processor's bf16 dot products if it has them: two exact products at a time are
/// added to an fp32 sum. All others are summed from the first place to the last, and each product is rounded together
/// with its sum or by itself, depending on the processor. A NaN among a key's products makes its result NaN. Thread:
/// engine.
at::Tensor scan_largest_products(const StoredKeys& keys, std::int64_t slot, std::int64_t first, std::int64_t count,
                                 const at::Tensor& probes, const at::Tensor& offsets);

}  // namespace carryover::ops
