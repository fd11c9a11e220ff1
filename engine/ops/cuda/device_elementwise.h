// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "engine/base/activation.h"

/// The elementwise parts of a decoder layer by the project's kernels, each one pass over memory; elementwise.h calls
/// them on a GPU. Not differentiable. Called on the engine thread and on the thread that runs backward.
namespace carryover::ops {

/// Does what rotate() does; `backwards` rotates in the opposite direction.
at::Tensor rotate_on_device(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin, bool backwards);

/// Does what rotate() does for the rows that `order` names, in that order. Returns [order, n, d], a view of [n, order,
/// d].
at::Tensor rotate_in_order(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin,
                           const std::vector<std::int32_t>& order);

at::Tensor gated_on_device(const at::Tensor& gate_up, Activation activation);
at::Tensor gated_backward_on_device(const at::Tensor& gate_up, const at::Tensor& gradient, Activation activation);

}  // namespace carryover::ops
