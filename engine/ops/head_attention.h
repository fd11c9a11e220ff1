// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

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
/// more queries are picked and joined in one pass, and a KV head that serves several query heads is not repeated.
at::Tensor attend_heads(const HeadAttention& attention);

}  // namespace carryover::ops
