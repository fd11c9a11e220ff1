// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include "engine/ops/elementwise.h"

namespace carryover::ops {

/// Matmuls with a weight, by the fastest way that is available, and differentiable. x: [m, inner]; weight: [outer,
/// inner], or packed, and then without autograd. They return [m, outer]. Thread: engine.

/// Returns x · weightᵀ. If the weight is frozen, x is not kept.
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight);

/// Returns rms_norm(x, norm) · weightᵀ. For backward, x is kept and its norm is computed again.
at::Tensor norm_linear(const at::Tensor& x, const NormGains& norm, const at::Tensor& weight);

/// Returns gated(gate_up, activation) · weightᵀ; gate_up: [m, 2·inner]. For backward, gate_up is kept and what is gated
/// is computed again.
at::Tensor gated_linear(const at::Tensor& gate_up, Activation activation, const at::Tensor& weight);

/// Return stream + x · weightᵀ and stream + gated(gate_up, activation) · weightᵀ. `reuses`: nobody needs the stream
/// itself any more, so on a GPU, without gradients, the matmul adds to it in place.
at::Tensor add_linear(const at::Tensor& stream, const at::Tensor& x, const at::Tensor& weight, bool reuses);
at::Tensor add_gated_linear(const at::Tensor& stream, const at::Tensor& gate_up, Activation activation,
                            const at::Tensor& weight, bool reuses);

}  // namespace carryover::ops
