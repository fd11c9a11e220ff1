// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

namespace carryover::ops {

/// x · weightᵀ. x: [m, inner]; weight: [outer, inner]. Returns [m, outer]. A single row on the CPU, in bf16 or fp32, is
/// decoding's: it takes the time that reading the weight takes, and is summed in fp32. All else is LibTorch's product.
/// Differentiable.
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight);

}  // namespace carryover::ops
