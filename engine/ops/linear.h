// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

namespace carryover::ops {

/// Matmuls with a weight, by the fastest way that is available, and differentiable. x: [m, inner]; weight: [outer,
/// inner], or packed, and then without autograd. They return [m, outer]. Thread: engine.

/// Returns x · weightᵀ. If the weight is frozen, x is not kept.
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight);

/// Returns rms_norm(x, gains, epsilon) · weightᵀ. For backward, x is kept and its norm is computed again.
at::Tensor norm_linear(const at::Tensor& x, const at::Tensor& gains, double epsilon, const at::Tensor& weight);

/// Returns swiglu(gate_up) · weightᵀ; gate_up: [m, 2·inner]. For backward, gate_up is kept and its SwiGLU is computed
/// again.
at::Tensor swiglu_linear(const at::Tensor& gate_up, const at::Tensor& weight);

/// Return stream + x · weightᵀ and stream + swiglu(gate_up) · weightᵀ. `reuses`: nobody needs the stream itself any
/// more, so on a GPU, without gradients, the matmul adds to it in place.
at::Tensor add_linear(const at::Tensor& stream, const at::Tensor& x, const at::Tensor& weight, bool reuses);
at::Tensor add_swiglu_linear(const at::Tensor& stream, const at::Tensor& gate_up, const at::Tensor& weight,
                             bool reuses);

}  // namespace carryover::ops
