// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <utility>
#include <vector>

namespace carryover::ops {

/// Keys and values that all queries see alike (causal = false), or one each more (the square at the end): [G, r or 1,
/// n, d] each, last dimension dense.
struct SeenRows {
  at::Tensor keys, values;
  bool causal = false;
  bool fixed = false;  ///< nobody asks for their gradients

  /// Rows of them that a group has: one where its heads share them, which is a stride of 0.
  std::int64_t rows() const { return keys.stride(1) == 0 && values.stride(1) == 0 ? 1 : keys.size(1); }
};

/// Attention of a single position, queries [G, r, 1, d], over all of `parts` as one softmax: decoding's. Each KV row is
/// read once for the r queries that share it; work is divided by heads and by blocks of keys, so that few heads fill
/// many threads. CPU, without gradients; fp32 inside (fp64 for fp64). Returns it and the log-sum-exp of its scores, [G,
/// r, 1].
std::pair<at::Tensor, at::Tensor> attend_row(const at::Tensor& queries, const std::vector<SeenRows>& parts);

}  // namespace carryover::ops
