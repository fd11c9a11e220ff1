// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <span>
#include <utility>
#include <vector>

namespace carryover::ops {

/// The operands of the attention of a group's query heads, in place (eq:attn, eq:ctx): head i reads row prefix_rows[i]
/// of the prefix and row kv_rows[i] of the segment.
struct HeadAttention {
  at::Tensor queries;                     ///< [H, m, d], rotated
  std::vector<int> heads;                 ///< rows of `queries`
  at::Tensor prefix_keys, prefix_values;  ///< [*, P, d], keys rotated; undefined where P = 0
  std::vector<int> prefix_rows;
  at::Tensor keys, values;  ///< [H_kv, n, d], keys rotated; the last m belong to the queries
  std::vector<int> kv_rows;
  double score_cap = 0;  ///< ModelConfig::score_cap
};

/// Returns true if attend_heads() should be used: on a GPU, without gradients.
bool attends_by_heads(const at::Tensor& queries);

/// Computes prefix_attention() of the heads, [heads, m, d]. The keys and values of a decoded token are read in place.
/// Those of more queries are selected and joined in one pass, unless they are joined already; a KV head that serves
/// several query heads is not repeated.
at::Tensor attend_heads(const HeadAttention& attention);

/// Computes the attention of a decoded token for all heads of all groups in one pass: [H, 1, d] in the order of
/// `queries`. Returns an undefined tensor if the kernel does not accept them: more than two groups, or queries that are
/// in no group.
at::Tensor attend_row(std::span<const HeadAttention> groups);

/// The outputs of some heads, [heads, m, d].
struct PlacedHeads {
  const std::vector<int>& heads;  ///< indices among all heads
  at::Tensor rows;
};

/// Places the outputs of all heads side by side, [m, H·d], in one pass. groups: at most most_placed_groups().
at::Tensor place_heads(std::span<const PlacedHeads> groups);
std::int64_t most_placed_groups();

/// Copies keys and values of some rows of [*, n, d] in one pass; the copies are dense.
std::pair<at::Tensor, at::Tensor> copy_rows(const at::Tensor& keys, const at::Tensor& values,
                                            const std::vector<int>& rows);

}  // namespace carryover::ops
