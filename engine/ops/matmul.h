// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

namespace carryover::ops {

/// Matmuls with a weight and their gradients, by the fastest way that is there, without autograd. bf16 on a processor
/// without bf16 dot products is multiplied in fp32, the weight upcast a block of its rows at a time, and rounded once.
/// Engine thread.

/// x · weightᵀ. x: [m, inner]; weight: [outer, inner] or packed. Returns [m, outer].
at::Tensor matmul(const at::Tensor& x, const at::Tensor& weight);
/// gradient · weight, x's gradient. gradient: [m, outer]; weight: [outer, inner]. Returns [m, inner].
at::Tensor matmul_to_input(const at::Tensor& gradient, const at::Tensor& weight);
/// gradientᵀ · x, the weight's gradient, [outer, inner].
at::Tensor matmul_to_weight(const at::Tensor& gradient, const at::Tensor& x);

/// For tests: whether the processor's bf16 dot products are used, where there are any.
void allow_bf16_matmul(bool allowed);

}  // namespace carryover::ops
