// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

namespace carryover::ops {

/// Sums of attention weights over columns and diagonals, [H, n] each, in max(fp32, dtype), on the CPU.
struct AttentionLines {
  at::Tensor columns;    ///< the i-th: of key i
  at::Tensor diagonals;  ///< the i-th: of keys n − 1 − i before their queries
};

/// Of the last w queries of n positions, [H, w, d], over all keys up to each, [H_kv, n, d], both rotated and dense in
/// their last dimension. On a CPU with bf16 dot products nothing of [w, n] is materialised. Without gradients.
AttentionLines attention_lines(const at::Tensor& queries, const at::Tensor& keys);

/// The same by its definition: the reference. Any device.
AttentionLines materialised_lines(const at::Tensor& queries, const at::Tensor& keys);

}  // namespace carryover::ops
