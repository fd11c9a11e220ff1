// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "engine/ops/cpu/ranked_entries.h"
#include "engine/ops/cpu/stored_keys.h"

/// The steps of retrieval that touch tensors. CUDA tensors go to the project's kernels, CPU tensors to a scan of
/// our own (pool_scan.h) and to LibTorch; kernels/reference is the truth for both. Nothing here is differentiable.
/// Engine thread.
namespace carryover::ops {

/// The k best entries of each summary. keys: [slots, ≥ entries, d], unrotated; summaries: [heads, n, d]; head_slot:
/// [heads]. Scores are sums in keys.opmath_type().
RankedEntries pool_topk(const StoredKeys& keys, std::int64_t entries, const at::Tensor& summaries,
                        const std::vector<std::int32_t>& head_slot, std::int64_t k);

/// For each of `count` entries of a slot from `first` on, the largest over `probes` [n ≥ 1, d] of probe · key, less the
/// probe's of `offsets` [n] where they are defined: [count] in keys.opmath_type(), beside the keys. Probes: of any
/// floating-point dtype; what is summed in which order differs by device and processor.
at::Tensor largest_products(const StoredKeys& keys, std::int64_t slot, std::int64_t first, std::int64_t count,
                            const at::Tensor& probes, const at::Tensor& offsets);

/// pool[head_slot[h], positions[h, j]] for each head: [heads, P, d] from [slots, ≥ entries, d], keys and values in the
/// values' dtype. positions: [heads, P] int64 on the CPU or beside the pool.
std::pair<at::Tensor, at::Tensor> gather_prefix(const StoredKeys& pool_keys, const at::Tensor& pool_values,
                                                const std::vector<std::int32_t>& head_slot,
                                                const at::Tensor& positions);

}  // namespace carryover::ops
