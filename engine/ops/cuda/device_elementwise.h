// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

/// The elementwise parts of a decoder layer by the project's kernels, each one pass over memory: what elementwise.h
/// calls on a GPU. Not differentiable. Engine thread, and the one that backward runs on.
namespace carryover::ops {

/// As rotate(); `backwards` turns the other way.
at::Tensor rotate_on_device(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin, bool backwards);

/// rotate() of the rows that `order` names, in that order: [order, n, d], a view of [n, order, d].
at::Tensor rotate_in_order(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin,
                           const std::vector<std::int32_t>& order);

at::Tensor swiglu_on_device(const at::Tensor& gate_up);
at::Tensor swiglu_backward_on_device(const at::Tensor& gate_up, const at::Tensor& gradient);

}  // namespace carryover::ops
