// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <span>
#include <vector>

#include "engine/ops/cpu/ranked_entries.h"
#include "engine/runs/values/hit_selection.h"

/// Retrieval on a GPU without waiting: results pass to the next kernel, and to the host after all layers have been
/// searched. Nothing here is differentiable. Thread: engine.
namespace carryover::ops {

/// The k best entries of each summary: fp32 and int64 [heads, n, k], as in RankedEntries.
struct DeviceRanking {
  at::Tensor scores, indices;
};

/// Returns true if the kernel keeps so many keys of so wide heads.
bool ranks_on_device(std::int64_t k, std::int64_t head_dim);

/// Does what pool_topk() does, for tensors on a GPU. Throws EngineError{Unsupported} for sizes that the kernel does not
/// accept.
DeviceRanking rank_on_device(const at::Tensor& keys, std::int64_t entries, const at::Tensor& summaries,
                             const std::vector<std::int32_t>& head_slot, std::int64_t k);

/// The results of one layer's search.
struct DeviceSearch {
  DeviceRanking ranking;     ///< ranks k + 1 entries; the last one only shows how close the cut was
  at::Tensor key_norms;      ///< [heads, n, k + 1] fp32, norms of the ranked keys
  at::Tensor summary_norms;  ///< [heads, n] fp32
  at::Tensor positions;      ///< [heads, P] int64, ascending
  at::Tensor origins;        ///< [heads, P] int32: SelectHits::origins
};

/// Returns true if the kernel accepts a selection of `length` slots from the k best of `summaries` summaries. The rule
/// must ban nothing.
bool selects_on_device(std::int64_t summaries, std::int64_t k, std::int64_t length);

/// Searches one layer. keys: [slots, ≥ entries, d]; summaries: [heads, n, d].
DeviceSearch search_on_device(const at::Tensor& keys, std::int64_t entries, const at::Tensor& summaries,
                              const std::vector<std::int32_t>& head_slot, std::int64_t k, const SelectionRule& rule);

/// The same results on the host.
struct FoundHits {
  RankedEntries ranked;
  std::vector<float> key_norms, summary_norms;
  std::vector<std::int64_t> positions, origins;
};

/// Copies the results of all layers in one copy, for which the host waits.
std::vector<FoundHits> to_host(std::span<const DeviceSearch> searches);

}  // namespace carryover::ops
