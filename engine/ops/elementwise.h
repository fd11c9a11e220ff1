// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

/// The elementwise parts of a decoder layer, each one pass over memory on the CPU and differentiable. They compute in
/// max(fp32, the tensors' dtype). Thread: engine.
namespace carryover::ops {

/// Returns x · weight / rms(x). x: [m, D]; weight: [D].
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon);

/// Returns silu(gate) · up, [m, I]. gate_up: [m, 2·I], gate first.
at::Tensor swiglu(const at::Tensor& gate_up);

struct NormGradient {
  at::Tensor x, weight;  ///< same shapes as the inputs; weight only if wanted
};
NormGradient rms_norm_backward(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& gradient,
                               double epsilon, bool weight_wanted);
at::Tensor swiglu_backward(const at::Tensor& gate_up, const at::Tensor& gradient);

/// Applies RoPE in the split-half layout (app:rope). x: [rows, n, d], last dimension dense, others strided; cos, sin:
/// [n, d/2] in compute_type. Returns dense [rows, n, d].
at::Tensor rotate(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin);

}  // namespace carryover::ops
