// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/row_product.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cstring>

#include "engine/ops/wide_rows.h"

namespace carryover::ops {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

constexpr std::int64_t kLanes = 16, kAtOnce = 4;

using Floats = float __attribute__((vector_size(kLanes * sizeof(float))));
using Words = std::uint32_t __attribute__((vector_size(kLanes * sizeof(std::uint32_t))));
using Halves = std::uint16_t __attribute__((vector_size(kLanes * sizeof(std::uint16_t))));

/// out[row] = weight[row] · x for rows [first, last). Four rows at a time, so that x is loaded once for them.
CARRYOVER_VECTORISED void multiply_rows(const std::uint16_t* weight, const float* x, float* out, std::int64_t first,
                                        std::int64_t last, std::int64_t inner) {
  for (std::int64_t row = first; row < last; row += kAtOnce) {
    const std::uint16_t* rows[kAtOnce];
    for (std::int64_t r = 0; r < kAtOnce; ++r) rows[r] = weight + std::min(row + r, last - 1) * inner;
    Floats sums[kAtOnce] = {};
    std::int64_t i = 0;
    for (; i + kLanes <= inner; i += kLanes) {
      Floats factor;
      std::memcpy(&factor, x + i, sizeof factor);
      for (std::int64_t r = 0; r < kAtOnce; ++r) {
        Halves halves;
        std::memcpy(&halves, rows[r] + i, sizeof halves);
        const Words words = __builtin_convertvector(halves, Words) << 16;  // bf16 is the upper half of fp32
        Floats values;
        std::memcpy(&values, &words, sizeof values);
        sums[r] += values * factor;
      }
    }
    for (std::int64_t r = 0; r < kAtOnce && row + r < last; ++r) {
      float sum = 0;
      for (std::int64_t rest = i; rest < inner; ++rest) {
        const std::uint32_t bits = static_cast<std::uint32_t>(rows[r][rest]) << 16;
        float value;
        std::memcpy(&value, &bits, sizeof value);
        sum += value * x[rest];
      }
      for (std::int64_t lane = 0; lane < kLanes; ++lane) sum += sums[r][lane];
      out[row + r] = sum;
    }
  }
}

at::Tensor row_product(const at::Tensor& x, const at::Tensor& weight) {
  const std::int64_t outer = weight.size(0), inner = weight.size(1);
  const at::Tensor wide = x.to(at::kFloat).contiguous();
  at::Tensor out = at::empty({1, outer}, wide.options());
  const auto* rows = reinterpret_cast<const std::uint16_t*>(weight.const_data_ptr<at::BFloat16>());
  const float* row = wide.const_data_ptr<float>();
  float* sums = out.mutable_data_ptr<float>();
  at::parallel_for(0, outer, std::max<std::int64_t>(kAtOnce, 65536 / inner),
                   [&](std::int64_t first, std::int64_t last) { multiply_rows(rows, row, sums, first, last, inner); });
  return out.to(at::kBFloat16);
}

struct RowProduct : Function<RowProduct> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight) {
    context->save_for_backward({x, weight});
    return row_product(x, weight);
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    return {at::mm(gradients[0], saved[1]), at::mm(gradients[0].t(), saved[0])};
  }
};

}  // namespace

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight) {
  const bool one_row = x.is_cpu() && x.scalar_type() == at::kBFloat16 && x.dim() == 2 && x.size(0) == 1;
  return one_row && weight.is_contiguous() ? RowProduct::apply(x, weight) : at::linear(x, weight);
}

}  // namespace carryover::ops
