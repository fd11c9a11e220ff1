// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "engine/ops/cpu/ranked_entries.h"
#include "engine/ops/cpu/stored_keys.h"

/// The steps of retrieval that work on tensors. CUDA tensors are processed by the project's kernels, CPU tensors by the
/// project's scan (pool_scan.h) and by LibTorch; kernels/reference defines the right results for both. Nothing here is
/// differentiable. Thread: engine.
namespace carryover::ops {

/// Returns the k best entries of each summary. keys: [slots, ≥ entries, d], unrotated; summaries: [heads, n, d];
/// head_slot: [heads]. Scores are sums in keys.opmath_type().
RankedEntries pool_topk(const StoredKeys& keys, std::int64_t entries, const at::Tensor& summaries,
                        const std::vector<std::int32_t>& head_slot, std::int64_t k);

/// Returns, for each of `count` entries of a slot from `first` on, the largest over `probes` [n ≥ 1, d] of probe · key,
/// minus the probe's value in `offsets` [n] if they are defined: [count] in keys.opmath_type(), on the keys' device.
/// Probes may be of any floating-point dtype; the order of summation differs by device and processor.
at::Tensor largest_products(const StoredKeys& keys, std::int64_t slot, std::int64_t first, std::int64_t count,
                            const at::Tensor& probes, const at::Tensor& offsets);

/// Returns pool[head_slot[h], positions[h, j]] for each head: [heads, P, d] from [slots, ≥ entries, d], keys and values
/// in the values' dtype. positions: [heads, P] int64, on the CPU or on the pool's device.
std::pair<at::Tensor, at::Tensor> gather_prefix(const StoredKeys& pool_keys, const at::Tensor& pool_values,
                                                const std::vector<std::int32_t>& head_slot,
                                                const at::Tensor& positions);

}  // namespace carryover::ops
