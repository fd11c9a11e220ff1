// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace carryover::ops {

/// Keys and values that all queries see alike (causal = false), or one each more (the square at the end): [G, r or 1,
/// n, d] each, last dimension dense.
struct KvBlock {
  at::Tensor keys, values;
  bool causal = false;
  bool fixed = false;  ///< nobody asks for their gradients

  /// Rows of them that a group has: one where its heads share them, which is a stride of 0.
  std::int64_t rows() const { return keys.stride(1) == 0 && values.stride(1) == 0 ? 1 : keys.size(1); }
};

/// Gradients of attention's queries, [G, r, m, d], and of the keys and values of each part: [G, 1, n, d] where the
/// heads of a group share them (a stride of 0), else [G, r, n, d]; undefined for a fixed part.
struct AttentionGradients {
  at::Tensor queries;
  std::vector<KvBlock> parts;
};

}  // namespace carryover::ops
