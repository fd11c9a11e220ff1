// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

namespace carryover::ops {

/// x · weightᵀ by the fastest product that is there. x: [m, inner]; weight: [outer, inner]. Returns [m, outer].
/// Differentiable. Engine thread.
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight);

}  // namespace carryover::ops
