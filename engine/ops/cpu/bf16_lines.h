// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <utility>

namespace carryover::ops {

/// Columns and diagonals of attention_lines() where has_bf16_attention(): a head at a time, keys in tiles that are
/// multiplied twice, for the softmax's sums and then for the weights. The same bits with any number of threads.
std::pair<at::Tensor, at::Tensor> bf16_lines(const at::Tensor& queries, const at::Tensor& keys);

}  // namespace carryover::ops
