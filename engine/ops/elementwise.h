// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

/// The elementwise parts of a decoder layer, each one pass over memory on the CPU and differentiable. Inner arithmetic
/// is max(fp32, the tensors' dtype). Engine thread.
namespace carryover::ops {

/// x · weight / rms(x). x: [m, D]; weight: [D].
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon);

/// silu(gate) · up. gate_up: [m, 2·I], gate first. Returns [m, I].
at::Tensor swiglu(const at::Tensor& gate_up);

struct NormGradient {
  at::Tensor x, weight;  ///< as the inputs; weight only where wanted
};
NormGradient rms_norm_backward(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& gradient,
                               double epsilon, bool weight_wanted);
at::Tensor swiglu_backward(const at::Tensor& gate_up, const at::Tensor& gradient);

/// RoPE in the split-half layout (app:rope). x: [rows, n, d], last dimension dense, others strided; cos, sin: [n, d/2]
/// in compute_type. Returns dense [rows, n, d].
at::Tensor rotate(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin);

}  // namespace carryover::ops
