// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/elementwise.h"

#include <ATen/ATen.h>
#include <ATen/OpMathType.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <type_traits>
#include <vector>

#include "engine/base/error.h"
#include "engine/ops/cpu/simd_rows.h"
#include "engine/ops/cuda/device_elementwise.h"
#include "engine/runtime/compute_type.h"
#include "engine/runtime/cuda_runtime.h"
#include "engine/runtime/parallel.h"
#include "kernels/swiglu.h"

namespace carryover::ops {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

#define CARRYOVER_FOR_FLOAT_AND_DOUBLE(define) define(float) define(double)

#define CARRYOVER_NORM_ROW(T)                                                                               \
  CARRYOVER_VECTORISED T sum_of_squares(const T* x, std::int64_t n) {                                       \
    T lanes[16] = {};                                                                                       \
    std::int64_t i = 0;                                                                                     \
    for (; i + 16 <= n; i += 16)                                                                            \
      for (int lane = 0; lane < 16; ++lane) lanes[lane] += x[i + lane] * x[i + lane];                       \
    T sum = 0;                                                                                              \
    for (; i < n; ++i) sum += x[i] * x[i];                                                                  \
    for (T lane : lanes) sum += lane;                                                                       \
    return sum;                                                                                             \
  }                                                                                                         \
  CARRYOVER_VECTORISED void scale_row(T* x, const T* weight, T scale, std::int64_t n) {                     \
    for (std::int64_t i = 0; i < n; ++i) x[i] = x[i] * scale * weight[i];                                   \
  }                                                                                                         \
  CARRYOVER_VECTORISED void rotate_row(const T* x, const T* cos, const T* sin, T* out, std::int64_t half) { \
    for (std::int64_t c = 0; c < half; ++c) {                                                               \
      out[c] = x[c] * cos[c] - x[c + half] * sin[c];                                                        \
      out[c + half] = x[c + half] * cos[c] + x[c] * sin[c];                                                 \
    }                                                                                                       \
  }
CARRYOVER_FOR_FLOAT_AND_DOUBLE(CARRYOVER_NORM_ROW)
#undef CARRYOVER_NORM_ROW

#define CARRYOVER_NORM_BACKWARD_ROW(T)                                                                         \
  CARRYOVER_VECTORISED T weighted_dot(const T* a, const T* weight, const T* b, std::int64_t n) {               \
    T lanes[16] = {};                                                                                          \
    std::int64_t i = 0;                                                                                        \
    for (; i + 16 <= n; i += 16)                                                                               \
      for (int lane = 0; lane < 16; ++lane) lanes[lane] += a[i + lane] * weight[i + lane] * b[i + lane];       \
    T sum = 0;                                                                                                 \
    for (; i < n; ++i) sum += a[i] * weight[i] * b[i];                                                         \
    for (T lane : lanes) sum += lane;                                                                          \
    return sum;                                                                                                \
  }                                                                                                            \
  CARRYOVER_VECTORISED void norm_backward_row(const T* gradient, const T* weight, const T* x, T* out, T scale, \
                                              T along, std::int64_t n) {                                       \
    for (std::int64_t i = 0; i < n; ++i) out[i] = scale * (gradient[i] * weight[i] - x[i] * along);            \
  }                                                                                                            \
  CARRYOVER_VECTORISED void add_scaled_product(T* sum, const T* a, const T* b, T scale, std::int64_t n) {      \
    for (std::int64_t i = 0; i < n; ++i) sum[i] += a[i] * b[i] * scale;                                        \
  }
CARRYOVER_FOR_FLOAT_AND_DOUBLE(CARRYOVER_NORM_BACKWARD_ROW)
#undef CARRYOVER_NORM_BACKWARD_ROW

/// Says at compile time which activation a row function computes, so that its loop has no branch.
using Silu = std::false_type;
using Gelu = std::true_type;
using kernels::gate_argument, kernels::gate_slope;

#define CARRYOVER_GATED_ROWS(T, Gate, vectorised)                                                                     \
  vectorised void gated_row(Gate gelu, const T* gate, const T* up, T* out, std::int64_t n) {                          \
    for (std::int64_t i = 0; i < n; ++i) out[i] = gate[i] / (T(1) + fast_exp(-gate_argument(gate[i], gelu))) * up[i]; \
  }                                                                                                                   \
  vectorised void gated_backward_row(Gate gelu, const T* gate, const T* up, const T* gradient, T* to_gate, T* to_up,  \
                                     std::int64_t n) {                                                                \
    for (std::int64_t i = 0; i < n; ++i) {                                                                            \
      const T sigmoid = T(1) / (T(1) + fast_exp(-gate_argument(gate[i], gelu))), active = gate[i] * sigmoid;          \
      to_gate[i] = gradient[i] * up[i] * (sigmoid + active * (T(1) - sigmoid) * gate_slope(gate[i], gelu));           \
      to_up[i] = gradient[i] * active;                                                                                \
    }                                                                                                                 \
  }
CARRYOVER_GATED_ROWS(float, Silu, CARRYOVER_VECTORISED)
CARRYOVER_GATED_ROWS(float, Gelu, CARRYOVER_VECTORISED)
CARRYOVER_GATED_ROWS(double, Silu, )
CARRYOVER_GATED_ROWS(double, Gelu, )
#undef CARRYOVER_GATED_ROWS

/// Calls call(gate) with the gate of an activation.
template <typename Call>
void with_gate(Activation activation, const Call& call) {
  CARRYOVER_CHECK(activation != Activation::Gelu);
  if (activation == Activation::Silu)
    call(Silu());
  else
    call(Gelu());
}

template <typename T>
using Opmath = at::opmath_type<T>;

at::Tensor rms_norm_cpu(const at::Tensor& input, const NormGains& norm) {
  const at::Tensor x = input.contiguous();
  const at::Tensor gains = norm.weight.contiguous();
  CARRYOVER_CHECK(gains.scalar_type() == x.scalar_type());
  at::Tensor out = at::empty_like(x);
  const std::int64_t width = x.size(-1), rows = x.numel() / width;
  CARRYOVER_DISPATCH(x.scalar_type(), "rms_norm", [&] {
    const scalar_t* in = x.const_data_ptr<scalar_t>();
    std::vector<Opmath<scalar_t>> w(static_cast<std::size_t>(width));
    load(gains.const_data_ptr<scalar_t>(), w.data(), width);
    for (Opmath<scalar_t>& gain : w) gain += static_cast<Opmath<scalar_t>>(norm.offset);
    scalar_t* result = out.mutable_data_ptr<scalar_t>();
    parallel_for(0, rows, grain_of(width), [&](std::int64_t begin, std::int64_t end) {
      std::vector<Opmath<scalar_t>> row(static_cast<std::size_t>(width));
      for (std::int64_t r = begin; r < end; ++r) {
        load(in + r * width, row.data(), width);
        const auto mean = sum_of_squares(row.data(), width) / static_cast<Opmath<scalar_t>>(width);
        const auto scale = Opmath<scalar_t>(1) / std::sqrt(mean + static_cast<Opmath<scalar_t>>(norm.epsilon));
        scale_row(row.data(), w.data(), scale, width);
        store(row.data(), result + r * width, width);
      }
    });
  });
  return out;
}

/// Threads sum the weight's gradient over fixed blocks of rows; these sums are then added in order.
NormGradient rms_norm_backward_cpu(const at::Tensor& input, const NormGains& norm, const at::Tensor& output_gradient,
                                   bool weight_wanted) {
  constexpr std::int64_t block = 64;
  const at::Tensor x = input.contiguous(), gradient = output_gradient.contiguous();
  const auto opmath_type = compute_type(x.scalar_type());
  const at::Tensor opmath_weight = norm.weight.to(opmath_type).add(norm.offset).contiguous();
  at::Tensor to_x = at::empty_like(x);
  const std::int64_t width = x.size(-1), rows = x.numel() / width, blocks = (rows + block - 1) / block;
  const at::Tensor sums =
      weight_wanted ? at::zeros({blocks, width}, x.options().dtype(opmath_type)) : at::empty({0}, x.options());
  CARRYOVER_DISPATCH(x.scalar_type(), "rms_norm_backward", [&] {
    using W = Opmath<scalar_t>;
    const scalar_t *in = x.const_data_ptr<scalar_t>(), *from = gradient.const_data_ptr<scalar_t>();
    const W* w = opmath_weight.const_data_ptr<W>();
    scalar_t* result = to_x.mutable_data_ptr<scalar_t>();
    W* sum = weight_wanted ? sums.mutable_data_ptr<W>() : nullptr;
    parallel_for(0, blocks, grain_of(block * width), [&](std::int64_t begin, std::int64_t end) {
      std::vector<W> buffer(static_cast<std::size_t>(3 * width));
      W *row = buffer.data(), *g = row + width, *out = g + width;
      for (std::int64_t r = begin * block; r < std::min(rows, end * block); ++r) {
        load(in + r * width, row, width);
        load(from + r * width, g, width);
        const W mean = sum_of_squares(row, width) / static_cast<W>(width) + static_cast<W>(norm.epsilon);
        const W scale = W(1) / std::sqrt(mean);
        const W along = weighted_dot(g, w, row, width) / (static_cast<W>(width) * mean);
        norm_backward_row(g, w, row, out, scale, along, width);
        store(out, result + r * width, width);
        if (sum != nullptr) add_scaled_product(sum + r / block * width, g, row, scale, width);
      }
    });
  });
  return {to_x, weight_wanted ? sums.sum(0).to(norm.weight.scalar_type()) : at::Tensor()};
}

at::Tensor gated_backward_cpu(const at::Tensor& input, const at::Tensor& output_gradient, Activation activation) {
  const at::Tensor x = input.contiguous(), gradient = output_gradient.contiguous();
  const std::int64_t width = x.size(-1) / 2, rows = x.numel() / (2 * width);
  at::Tensor out = at::empty_like(x);
  CARRYOVER_DISPATCH(x.scalar_type(), "gated_backward", [&] {
    using W = Opmath<scalar_t>;
    const scalar_t *in = x.const_data_ptr<scalar_t>(), *from = gradient.const_data_ptr<scalar_t>();
    scalar_t* result = out.mutable_data_ptr<scalar_t>();
    parallel_for(0, rows, grain_of(2 * width), [&](std::int64_t begin, std::int64_t end) {
      std::vector<W> buffer(static_cast<std::size_t>(5 * width));
      W *row = buffer.data(), *g = row + 2 * width, *both = g + width;
      for (std::int64_t r = begin; r < end; ++r) {
        load(in + r * 2 * width, row, 2 * width);
        load(from + r * width, g, width);
        with_gate(activation,
                  [&](auto gate) { gated_backward_row(gate, row, row + width, g, both, both + width, width); });
        store(both, result + r * 2 * width, 2 * width);
      }
    });
  });
  return out;
}

at::Tensor gated_cpu(const at::Tensor& input, Activation activation) {
  const at::Tensor x = input.contiguous();
  const std::int64_t width = x.size(-1) / 2, rows = x.numel() / (2 * width);
  at::Tensor out = at::empty({rows, width}, x.options());
  CARRYOVER_DISPATCH(x.scalar_type(), "gated", [&] {
    const scalar_t* in = x.const_data_ptr<scalar_t>();
    scalar_t* result = out.mutable_data_ptr<scalar_t>();
    parallel_for(0, rows, grain_of(2 * width), [&](std::int64_t begin, std::int64_t end) {
      std::vector<Opmath<scalar_t>> row(static_cast<std::size_t>(2 * width));
      for (std::int64_t r = begin; r < end; ++r) {
        load(in + r * 2 * width, row.data(), 2 * width);
        with_gate(activation, [&](auto gate) { gated_row(gate, row.data(), row.data() + width, row.data(), width); });
        store(row.data(), result + r * width, width);
      }
    });
  });
  return out;
}

at::Tensor rotate_cpu(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin) {
  CARRYOVER_CHECK(x.dim() == 3 && (x.stride(2) == 1 || x.size(2) == 1) && cos.size(0) == x.size(1));
  at::Tensor out = at::empty(x.sizes(), x.options());
  const std::int64_t rows = x.size(0), n = x.size(1), d = x.size(2), half = d / 2;
  CARRYOVER_DISPATCH(x.scalar_type(), "rotate", [&] {
    const scalar_t* in = x.const_data_ptr<scalar_t>();
    const Opmath<scalar_t>*c = cos.const_data_ptr<Opmath<scalar_t>>(), *s = sin.const_data_ptr<Opmath<scalar_t>>();
    scalar_t* result = out.mutable_data_ptr<scalar_t>();
    const std::int64_t row_stride = x.stride(0), position_stride = x.stride(1);
    parallel_for(0, rows * n, grain_of(d), [&](std::int64_t begin, std::int64_t end) {
      std::vector<Opmath<scalar_t>> rotated(static_cast<std::size_t>(2 * d));
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t row = i / n, position = i % n;
        load(in + row * row_stride + position * position_stride, rotated.data(), d);
        rotate_row(rotated.data(), c + position * half, s + position * half, rotated.data() + d, half);
        store(rotated.data() + d, result + i * d, d);
      }
    });
  });
  return out;
}

at::Tensor rms_norm_forward(const at::Tensor& x, const NormGains& norm) {
  if (!takes_kernels(x.device())) return rms_norm_cpu(x, norm);
  if (norm.offset == 0) return at::rms_norm(x, {x.size(-1)}, norm.weight, norm.epsilon);
  const auto type = compute_type(x.scalar_type());
  return at::rms_norm(x.to(type), {x.size(-1)}, norm.weight.to(type) + norm.offset, norm.epsilon).to(x.scalar_type());
}

at::Tensor gated_forward(const at::Tensor& gate_up, Activation activation) {
  return takes_kernels(gate_up.device()) ? gated_on_device(gate_up, activation) : gated_cpu(gate_up, activation);
}

at::Tensor rotate_forward(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin) {
  return takes_kernels(x.device()) ? rotate_on_device(x, cos, sin, false) : rotate_cpu(x, cos, sin);
}

struct RmsNormFunction : Function<RmsNormFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight, double epsilon,
                            double offset) {
    context->save_for_backward({x, weight});
    context->saved_data["epsilon"] = epsilon;
    context->saved_data["offset"] = offset;
    return rms_norm_forward(x, {weight, epsilon, offset});
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const NormGains norm{saved[1], context->saved_data["epsilon"].toDouble(), context->saved_data["offset"].toDouble()};
    const auto to = rms_norm_backward(saved[0], norm, gradients[0], context->needs_input_grad(1));
    return {to.x, to.weight, at::Tensor(), at::Tensor()};
  }
};

struct GatedFunction : Function<GatedFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& gate_up, Activation activation) {
    context->save_for_backward({gate_up});
    context->saved_data["activation"] = static_cast<std::int64_t>(activation);
    return gated_forward(gate_up, activation);
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto activation = static_cast<Activation>(context->saved_data["activation"].toInt());
    return {gated_backward(context->get_saved_variables()[0], gradients[0], activation), at::Tensor()};
  }
};

struct RotateFunction : Function<RotateFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& cos,
                            const at::Tensor& sin) {
    context->save_for_backward({cos, sin});
    return rotate_forward(x, cos, sin);
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();  // the transpose of a rotation is the opposite rotation
    const at::Tensor gradient = gradients[0].contiguous();
    return {takes_kernels(gradient.device()) ? rotate_on_device(gradient, saved[0], saved[1], true)
                                             : rotate_cpu(gradient, saved[0], saved[1].neg()),
            at::Tensor(), at::Tensor()};
  }
};

}  // namespace

NormGradient rms_norm_backward(const at::Tensor& given, const NormGains& norm, const at::Tensor& given_gradient,
                               bool weight_wanted) {
  if (!takes_kernels(given.device())) return rms_norm_backward_cpu(given, norm, given_gradient, weight_wanted);
  const auto type = compute_type(given.scalar_type());
  const at::Tensor x = given.to(type), gains = norm.weight.to(type) + norm.offset, gradient = given_gradient.to(type);
  const at::Tensor inverse = (x.square().mean(-1, true) + norm.epsilon).rsqrt();
  const at::Tensor unit = x * inverse, along = gradient * gains;
  const at::Tensor to_x = (along - unit * (along * unit).mean(-1, true)) * inverse;
  NormGradient to{to_x.to(given.scalar_type()), {}};
  if (weight_wanted) to.weight = (gradient * unit).sum_to_size(gains.sizes()).to(norm.weight.scalar_type());
  return to;
}

at::Tensor gated_backward(const at::Tensor& gate_up, const at::Tensor& gradient, Activation activation) {
  return takes_kernels(gate_up.device()) ? gated_backward_on_device(gate_up, gradient, activation)
                                         : gated_backward_cpu(gate_up, gradient, activation);
}

at::Tensor rms_norm(const at::Tensor& x, const NormGains& norm) {
  return at::GradMode::is_enabled() ? RmsNormFunction::apply(x, norm.weight, norm.epsilon, norm.offset)
                                    : rms_norm_forward(x, norm);
}

at::Tensor layer_norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, double epsilon) {
  return at::layer_norm(x, {x.size(-1)}, weight, bias, epsilon);
}

at::Tensor activated(const at::Tensor& x, Activation activation) {
  if (activation == Activation::Silu) return at::silu(x);
  return at::gelu(x, activation == Activation::GeluTanh ? "tanh" : "none");
}

at::Tensor gated(const at::Tensor& gate_up, Activation activation) {
  return at::GradMode::is_enabled() ? GatedFunction::apply(gate_up, activation) : gated_forward(gate_up, activation);
}

at::Tensor rotate(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin) {
  return at::GradMode::is_enabled() ? RotateFunction::apply(x, cos, sin) : rotate_forward(x, cos, sin);
}

}  // namespace carryover::ops
