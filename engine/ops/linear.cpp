// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/linear.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include "engine/ops/elementwise.h"
#include "engine/ops/matmul.h"
#include "engine/runtime/cuda_runtime.h"

namespace carryover::ops {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

struct LinearFunction : Function<LinearFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight) {
    const auto wanted = [](const at::Tensor& by, const at::Tensor& kept) {
      return by.requires_grad() ? kept : at::Tensor();
    };
    context->save_for_backward({wanted(weight, x), wanted(x, weight)});  // x is not kept if the weight is frozen
    return ops::matmul(x, weight);
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    variable_list to(2);
    if (context->needs_input_grad(0)) to[0] = matmul_to_input(gradients[0], saved[1]);
    if (context->needs_input_grad(1)) to[1] = matmul_to_weight(gradients[0], saved[0]);
    return to;
  }
};

struct NormLinearFunction : Function<NormLinearFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& gains, double epsilon,
                            double offset, const at::Tensor& weight) {
    context->save_for_backward({x, gains, weight});
    context->saved_data["epsilon"] = epsilon;
    context->saved_data["offset"] = offset;
    return ops::matmul(rms_norm(x, {gains, epsilon, offset}), weight);
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &gains = saved[1], &weight = saved[2];
    const NormGains norm{gains, context->saved_data["epsilon"].toDouble(), context->saved_data["offset"].toDouble()};
    variable_list to(5);  // includes those of epsilon and offset; needs_input_grad counts only tensors
    if (context->needs_input_grad(2)) to[4] = matmul_to_weight(gradients[0], rms_norm(x, norm));
    const bool gains_wanted = context->needs_input_grad(1);
    if (!context->needs_input_grad(0) && !gains_wanted) return to;
    const auto of_norm = rms_norm_backward(x, norm, matmul_to_input(gradients[0], weight), gains_wanted);
    to[0] = of_norm.x;
    to[1] = of_norm.weight;
    return to;
  }
};

struct GatedLinearFunction : Function<GatedLinearFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& gate_up, Activation activation,
                            const at::Tensor& weight) {
    context->save_for_backward({gate_up, weight});
    context->saved_data["activation"] = static_cast<std::int64_t>(activation);
    return ops::matmul(gated(gate_up, activation), weight);
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto activation = static_cast<Activation>(context->saved_data["activation"].toInt());
    variable_list to(3);  // includes that of the activation
    if (context->needs_input_grad(1)) to[2] = matmul_to_weight(gradients[0], gated(saved[0], activation));
    if (context->needs_input_grad(0))
      to[0] = gated_backward(saved[0], matmul_to_input(gradients[0], saved[1]), activation);
    return to;
  }
};

/// Returns true if a stream that may be reused is reused.
bool adds_in_place(const at::Tensor& stream) {
  return takes_kernels(stream.device()) && !at::GradMode::is_enabled();
}

/// Computes stream += x · weightᵀ. A single row is multiplied as a vector, because addmm() would ask cuBLASLt for an
/// algorithm each time.
at::Tensor add_in_place(const at::Tensor& stream, const at::Tensor& x, const at::Tensor& weight) {
  if (x.size(0) > 1) return stream.addmm_(x, weight.t());
  stream.view({-1}).addmv_(weight, x.reshape({-1}));
  return stream;
}

}  // namespace

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight) {
  return at::GradMode::is_enabled() ? LinearFunction::apply(x, weight) : ops::matmul(x, weight);
}

at::Tensor norm_linear(const at::Tensor& x, const NormGains& norm, const at::Tensor& weight) {
  if (at::GradMode::is_enabled()) return NormLinearFunction::apply(x, norm.weight, norm.epsilon, norm.offset, weight);
  return ops::matmul(rms_norm(x, norm), weight);
}

at::Tensor gated_linear(const at::Tensor& gate_up, Activation activation, const at::Tensor& weight) {
  return at::GradMode::is_enabled() ? GatedLinearFunction::apply(gate_up, activation, weight)
                                    : ops::matmul(gated(gate_up, activation), weight);
}

at::Tensor add_linear(const at::Tensor& stream, const at::Tensor& x, const at::Tensor& weight, bool reuses) {
  return reuses && adds_in_place(stream) ? add_in_place(stream, x, weight) : stream + ops::linear(x, weight);
}

at::Tensor add_gated_linear(const at::Tensor& stream, const at::Tensor& gate_up, Activation activation,
                            const at::Tensor& weight, bool reuses) {
  return reuses && adds_in_place(stream) ? add_in_place(stream, gated(gate_up, activation), weight)
                                         : stream + gated_linear(gate_up, activation, weight);
}

}  // namespace carryover::ops
