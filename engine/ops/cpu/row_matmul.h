// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

namespace carryover::ops {

/// Returns true if row_matmul accepts them: one row on the CPU, in bf16 or fp32, and a dense weight.
bool has_row_matmul(const at::Tensor& x, const at::Tensor& weight);

/// Returns x · weightᵀ for one row, as in decoding, [1, outer]. It takes the time of reading the weight, and is summed
/// in fp32. x: [1, inner]; weight: [outer, inner]. Without autograd. Thread: engine.
at::Tensor row_matmul(const at::Tensor& x, const at::Tensor& weight);

}  // namespace carryover::ops
