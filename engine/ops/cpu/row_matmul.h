// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

namespace carryover::ops {

/// Whether row_matmul takes them: one row on the CPU, in bf16 or fp32, and a dense weight.
bool has_row_matmul(const at::Tensor& x, const at::Tensor& weight);

/// x · weightᵀ for one row, decoding's: it takes the time that reading the weight takes, and is summed in fp32. x:
/// [1, inner]; weight: [outer, inner]. Returns [1, outer]. Without autograd. Engine thread.
at::Tensor row_matmul(const at::Tensor& x, const at::Tensor& weight);

}  // namespace carryover::ops
