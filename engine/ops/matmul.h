// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

namespace carryover::ops {

/// Matmuls with a weight and their gradients, by the fastest way that is available, without autograd. On a processor
/// without bf16 dot products, bf16 is multiplied in fp32, with the weight upcast a block of its rows at a time, and
/// rounded once. Thread: engine.

/// Returns x · weightᵀ, [m, outer]. x: [m, inner]; weight: [outer, inner] or packed.
at::Tensor matmul(const at::Tensor& x, const at::Tensor& weight);
/// Returns gradient · weight, x's gradient, [m, inner]. gradient: [m, outer]; weight: [outer, inner].
at::Tensor matmul_to_input(const at::Tensor& gradient, const at::Tensor& weight);
/// Returns gradientᵀ · x, the weight's gradient, [outer, inner].
at::Tensor matmul_to_weight(const at::Tensor& gradient, const at::Tensor& x);

/// For tests: allows the processor's bf16 dot products, if there are any, or forbids them.
void allow_bf16_matmul(bool allowed);

}  // namespace carryover::ops
