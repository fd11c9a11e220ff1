// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/linear.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include "engine/core/cost_model.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/packed_weight.h"
#include "engine/ops/row_product.h"

namespace carryover::ops {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

using OneDnnLinear = at::Tensor(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                                std::string_view activation, c10::List<std::optional<at::Scalar>> scalars,
                                std::optional<std::string_view> algorithm);

/// LibTorch's door to oneDNN's products; none in a LibTorch that was built without it.
const std::optional<c10::TypedOperatorHandle<OneDnnLinear>>& onednn_linear() {
  static const auto found = [] {
    const auto schema = c10::Dispatcher::singleton().findSchema({"mkldnn::_linear_pointwise", ""});
    return schema ? std::make_optional(schema->typed<OneDnnLinear>()) : std::nullopt;
  }();
  return found;
}

/// MKL's fp32 products are slower than oneDNN's by a seventh on AMD's processors, and faster by a few percent on
/// Intel's.
bool mkl_is_slow() {
#ifdef __x86_64__
  static const bool slow = !__builtin_cpu_is("intel");
  return slow;
#else
  return false;
#endif
}

/// Large products in fp32, which at::linear gives to MKL. oneDNN adds one term after another, so that its error
/// outgrows twice MKL's in longer sums.
bool takes_onednn(const at::Tensor& x, const at::Tensor& weight) {
  constexpr std::int64_t least_rows = 16, least_weights = 1 << 16, most_terms = 1024;
  return mkl_is_slow() && x.is_cpu() && x.dim() == 2 && x.scalar_type() == at::kFloat &&
         weight.scalar_type() == at::kFloat && x.size(0) >= least_rows && x.size(1) <= most_terms &&
         weight.numel() >= least_weights && onednn_linear().has_value();
}

/// x · weightᵀ; the weight may be a transposed view.
at::Tensor onednn_product(const at::Tensor& x, const at::Tensor& weight) {
  return onednn_linear()->call(x, weight, std::nullopt, "none", c10::List<std::optional<at::Scalar>>(), "");
}

at::Tensor product(const at::Tensor& x, const at::Tensor& weight);

/// Several rows: the weight is widened a block of its rows at a time, which is little work beside the product.
at::Tensor packed_product(const at::Tensor& x, const at::Tensor& packed) {
  if (x.size(0) == 1) return packed_row_product(x, packed);
  const std::int64_t outer = packed_outer(packed), row_bytes = packed_inner(packed) * x.itemsize();
  const std::int64_t step = std::max<std::int64_t>(1, unpacked_block_bytes / row_bytes);
  if (outer <= step) return product(x, unpack_rows(packed, 0, outer, x.scalar_type()));
  at::Tensor out = at::empty({x.size(0), outer}, x.options());
  for (std::int64_t first = 0; first < outer; first += step) {
    const std::int64_t count = std::min(step, outer - first);
    out.narrow(1, first, count).copy_(product(x, unpack_rows(packed, first, count, x.scalar_type())));
  }
  return out;
}

at::Tensor product(const at::Tensor& x, const at::Tensor& weight) {
  if (is_packed(weight)) return packed_product(x, weight);
  if (has_row_product(x, weight)) return row_product(x, weight);
  return takes_onednn(x, weight) ? onednn_product(x, weight) : at::linear(x, weight);
}

at::Tensor to_input(const at::Tensor& gradient, const at::Tensor& weight) {
  return takes_onednn(gradient, weight.t()) ? onednn_product(gradient, weight.t()) : at::mm(gradient, weight);
}

at::Tensor to_weight(const at::Tensor& gradient, const at::Tensor& x) {
  return at::mm(gradient.t(), x);
}

struct LinearFunction : Function<LinearFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight) {
    const auto wanted = [](const at::Tensor& by, const at::Tensor& kept) {
      return by.requires_grad() ? kept : at::Tensor();
    };
    context->save_for_backward({wanted(weight, x), wanted(x, weight)});  // a frozen weight's rows are not kept
    return product(x, weight);
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    variable_list to(2);
    if (context->needs_input_grad(0)) to[0] = to_input(gradients[0], saved[1]);
    if (context->needs_input_grad(1)) to[1] = to_weight(gradients[0], saved[0]);
    return to;
  }
};

struct NormLinearFunction : Function<NormLinearFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& gains, double epsilon,
                            const at::Tensor& weight) {
    context->save_for_backward({x, gains, weight});
    context->saved_data["epsilon"] = epsilon;
    return product(rms_norm(x, gains, epsilon), weight);
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &gains = saved[1], &weight = saved[2];
    const double epsilon = context->saved_data["epsilon"].toDouble();
    variable_list to(4);  // the epsilon's among them; needs_input_grad counts tensors only
    if (context->needs_input_grad(2)) to[3] = to_weight(gradients[0], rms_norm(x, gains, epsilon));
    const bool gains_wanted = context->needs_input_grad(1);
    if (!context->needs_input_grad(0) && !gains_wanted) return to;
    const auto norm = rms_norm_backward(x, gains, to_input(gradients[0], weight), epsilon, gains_wanted);
    to[0] = norm.x;
    to[1] = norm.weight;
    return to;
  }
};

struct SwigluLinearFunction : Function<SwigluLinearFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& gate_up, const at::Tensor& weight) {
    context->save_for_backward({gate_up, weight});
    return product(swiglu(gate_up), weight);
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    variable_list to(2);
    if (context->needs_input_grad(1)) to[1] = to_weight(gradients[0], swiglu(saved[0]));
    if (context->needs_input_grad(0)) to[0] = swiglu_backward(saved[0], to_input(gradients[0], saved[1]));
    return to;
  }
};

}  // namespace

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight) {
  return at::GradMode::is_enabled() ? LinearFunction::apply(x, weight) : product(x, weight);
}

at::Tensor norm_linear(const at::Tensor& x, const at::Tensor& gains, double epsilon, const at::Tensor& weight) {
  if (at::GradMode::is_enabled()) return NormLinearFunction::apply(x, gains, epsilon, weight);
  return product(rms_norm(x, gains, epsilon), weight);
}

at::Tensor swiglu_linear(const at::Tensor& gate_up, const at::Tensor& weight) {
  return at::GradMode::is_enabled() ? SwigluLinearFunction::apply(gate_up, weight) : product(swiglu(gate_up), weight);
}

}  // namespace carryover::ops
