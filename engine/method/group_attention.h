// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "engine/method/forward_map.h"

namespace carryover {

/// Rotated queries, and where each head's are among them.
struct RotatedQueries {
  at::Tensor rows;         ///< [H, m, d]
  std::vector<int> place;  ///< [H]; empty: they are in order of heads

  std::vector<int> places(const std::vector<int>& heads) const {
    if (place.empty()) return heads;
    std::vector<int> of_heads;
    for (const int head : heads) of_heads.push_back(place[static_cast<std::size_t>(head)]);
    return of_heads;
  }
};

/// Attention of a layer's groups, whose outputs are added up where they are branches (eq:attn): [m, H·d], side by side
/// in order of query heads. sink_queries: [H, m, d], in order of heads; undefined: sinks are read as all else.
/// `received`: null, or where to put what the only group's keys get. Engine thread.
at::Tensor attend_groups(const ForwardContext& context, const std::vector<HeadGroup>& groups,
                         const RotatedQueries& queries, const at::Tensor& sink_queries, const LayerKv& kv,
                         at::Tensor* received);

}  // namespace carryover
