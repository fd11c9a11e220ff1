// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "engine/method/forward_map.h"

namespace carryover {

/// Rotated queries, and the row of each head among them.
struct RotatedQueries {
  at::Tensor rows;         ///< [H, m, d]
  std::vector<int> place;  ///< [H]; empty: rows are in order of heads

  std::vector<int> places(const std::vector<int>& heads) const {
    if (place.empty()) return heads;
    std::vector<int> of_heads;
    for (const int head : heads) of_heads.push_back(place[static_cast<std::size_t>(head)]);
    return of_heads;
  }
};

/// Computes the attention of a layer's groups and adds up the outputs of branches (eq:attn). Returns [m, H·d], side by
/// side in order of query heads. sink_queries: [H, m, d], in order of heads; undefined: sinks are read with `queries`.
/// `received`: null, or the tensor that gets the attention that the keys of the only group receive. Thread: engine.
at::Tensor attend_groups(const ForwardContext& context, const std::vector<HeadGroup>& groups,
                         const RotatedQueries& queries, const at::Tensor& sink_queries, const LayerKv& kv,
                         at::Tensor* received);

}  // namespace carryover
