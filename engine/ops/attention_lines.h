// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

namespace carryover::ops {

/// Sums of attention weights over columns and diagonals, [H, n] each, in max(fp32, dtype), on the CPU.
struct AttentionLines {
  at::Tensor columns;    ///< columns[i]: sum over key i
  at::Tensor diagonals;  ///< diagonals[i]: sum over keys that are n − 1 − i positions before their query
};

/// Returns the sums for the last w queries of n positions, [H, w, d], over all keys up to each, [H_kv, n, d]. Both are
/// rotated and dense in their last dimension. On a CPU with bf16 dot products, nothing of [w, n] is materialised.
/// Without gradients.
AttentionLines attention_lines(const at::Tensor& queries, const at::Tensor& keys, double score_cap = 0);

/// Returns the same sums by their definition: the reference. Any device.
AttentionLines materialised_lines(const at::Tensor& queries, const at::Tensor& keys, double score_cap = 0);

}  // namespace carryover::ops
