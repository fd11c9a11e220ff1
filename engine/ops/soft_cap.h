// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

namespace carryover::ops {

/// Returns cap · tanh(values / cap), by which some models bound scores and logits; the values themselves where cap is
/// 0. Differentiable.
at::Tensor soft_capped(const at::Tensor& values, double cap);

/// Turns a gradient of capped values into that of the values, in place. capped: what soft_capped() returned.
void to_uncapped_gradient(at::Tensor& gradient, const at::Tensor& capped, double cap);

}  // namespace carryover::ops
