// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include "engine/base/activation.h"

/// The elementwise parts of a decoder layer, each one pass over memory on the CPU and differentiable. They compute in
/// max(fp32, the tensors' dtype). Thread: engine.
namespace carryover::ops {

/// The parameters of an RMS norm over the last dimension, [D]: values are multiplied by offset + weight.
struct NormGains {
  const at::Tensor& weight;
  double epsilon;
  double offset = 0;
};

/// Returns x · (offset + weight) / rms(x). x: [m, D].
at::Tensor rms_norm(const at::Tensor& x, const NormGains& gains);

/// Returns (x − mean(x)) · weight / √(variance(x) + epsilon) + bias over the last dimension. x: [m, D]; weight, bias:
/// [D].
at::Tensor layer_norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, double epsilon);

/// Returns activation(x).
at::Tensor activated(const at::Tensor& x, Activation activation);

/// Returns activation(gate) · up, [m, I]. gate_up: [m, 2·I], gate first.
at::Tensor gated(const at::Tensor& gate_up, Activation activation);

struct NormGradient {
  at::Tensor x, weight;  ///< same shapes as the inputs; weight only if wanted
};
NormGradient rms_norm_backward(const at::Tensor& x, const NormGains& gains, const at::Tensor& gradient,
                               bool weight_wanted);
at::Tensor gated_backward(const at::Tensor& gate_up, const at::Tensor& gradient, Activation activation);

/// Applies RoPE in the split-half layout (app:rope). x: [rows, n, d], last dimension dense, others strided; cos, sin:
/// [n, d/2] in compute_type. Returns dense [rows, n, d].
at::Tensor rotate(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin);

}  // namespace carryover::ops
