// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <span>
#include <vector>

#include "engine/core/run/hit_selection.h"
#include "engine/ops/cpu/ranked_entries.h"

/// Retrieval on a GPU that waits for nothing: what is found passes to the next kernel, and to the host when all layers
/// have been searched. Nothing here is differentiable. Engine thread.
namespace carryover::ops {

/// The k best entries of each summary: fp32 and int64 [heads, n, k], as RankedEntries.
struct DeviceRanking {
  at::Tensor scores, indices;
};

/// As pool_topk(), for tensors on a GPU. Throws EngineError{Unsupported} beyond what the kernel takes.
DeviceRanking rank_on_device(const at::Tensor& keys, std::int64_t entries, const at::Tensor& summaries,
                             const std::vector<std::int32_t>& head_slot, std::int64_t k);

/// One layer's search.
struct DeviceSearch {
  DeviceRanking ranking;     ///< of k + 1 entries, the last only to see how close the cut was
  at::Tensor key_norms;      ///< [heads, n, k + 1] fp32, of the ranked keys
  at::Tensor summary_norms;  ///< [heads, n] fp32
  at::Tensor positions;      ///< [heads, P] int64, ascending
  at::Tensor origins;        ///< [heads, P] int32: SelectHits::origins
};

/// Whether the kernel takes a selection of `length` slots from the k best of `summaries` summaries. The rule must ban
/// nothing.
bool selects_on_device(std::int64_t summaries, std::int64_t k, std::int64_t length);

/// keys: [slots, ≥ entries, d]; summaries: [heads, n, d].
DeviceSearch search_on_device(const at::Tensor& keys, std::int64_t entries, const at::Tensor& summaries,
                              const std::vector<std::int32_t>& head_slot, std::int64_t k, const SelectionRule& rule);

/// The same on the host.
struct FoundHits {
  RankedEntries ranked;
  std::vector<float> key_norms, summary_norms;
  std::vector<std::int64_t> positions, origins;
};

/// All layers' in one copy, which the host waits for.
std::vector<FoundHits> to_host(std::span<const DeviceSearch> searches);

}  // namespace carryover::ops
