// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <span>
#include <utility>
#include <vector>

namespace carryover::ops {

/// What the query heads of a group attend to, where it lies (eq:attn, eq:ctx): head i reads row prefix_rows[i] of the
/// prefix and row kv_rows[i] of the segment.
struct HeadAttention {
  at::Tensor queries;                     ///< [H, m, d], rotated
  std::vector<int> heads;                 ///< rows of `queries`
  at::Tensor prefix_keys, prefix_values;  ///< [*, P, d], keys rotated; undefined where P = 0
  std::vector<int> prefix_rows;
  at::Tensor keys, values;  ///< [H_kv, n, d], keys rotated; the last m belong to the queries
  std::vector<int> kv_rows;
};

/// Whether attend_heads() is to be asked: on a GPU, without gradients.
bool attends_by_heads(const at::Tensor& queries);

/// prefix_attention() of the heads, [heads, m, d]. A decoded token's keys and values are read where they lie; those of
/// more queries are picked and joined in one pass, unless they lie so, and a KV head that serves several query heads is
/// not repeated.
at::Tensor attend_heads(const HeadAttention& attention);

/// Of a decoded token, all heads of all groups in one pass: [H, 1, d] in the order of `queries`. Undefined where the
/// kernel does not take them: more than two groups, or queries that no group has.
at::Tensor attend_row(std::span<const HeadAttention> groups);

/// What some heads put out, [heads, m, d].
struct PlacedHeads {
  const std::vector<int>& heads;  ///< of all that there are
  at::Tensor rows;
};

/// Those of all heads side by side, [m, H·d], in one pass. groups: most_placed_groups() at most.
at::Tensor place_heads(std::span<const PlacedHeads> groups);
std::int64_t most_placed_groups();

/// Keys and values of some rows [*, n, d], in memory of their own and dense, in one pass.
std::pair<at::Tensor, at::Tensor> copy_rows(const at::Tensor& keys, const at::Tensor& values,
                                            const std::vector<int>& rows);

}  // namespace carryover::ops
