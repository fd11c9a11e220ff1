// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <utility>

namespace carryover::ops {

/// Computes the columns and diagonals of attention_lines() if has_bf16_attention(). It runs one head at a time; keys
/// are in tiles, which are multiplied twice, for the softmax's sums and then for the weights. The bits are the same
/// with any number of threads.
std::pair<at::Tensor, at::Tensor> bf16_lines(const at::Tensor& queries, const at::Tensor& keys);

}  // namespace carryover::ops
