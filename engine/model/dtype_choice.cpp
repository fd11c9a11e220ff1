// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/dtype_choice.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <chrono>

#include "engine/ops/product.h"

namespace carryover {

namespace {

double best_seconds(at::ScalarType type, std::int64_t rows, std::int64_t inner, std::int64_t outer) {
  const at::Tensor x = at::zeros({rows, inner}, type), w = at::zeros({outer, inner}, type);
  ops::product(x, w);  // the first call prepares
  double best = 1e9;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const auto start = std::chrono::steady_clock::now();
    ops::product(x, w);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

}  // namespace

at::ScalarType scalar_type(DType dtype) {
  switch (dtype) {
    case DType::Float64:
      return at::kDouble;
    case DType::BFloat16:
    case DType::Q8:
      return at::kBFloat16;
    case DType::Auto:
    case DType::Float32:
      return at::kFloat;
  }
  return at::kFloat;
}

DType faster_on_cpu(const ModelConfig& model, bool for_decoding) {
  const at::NoGradGuard no_gradients;
  const std::int64_t rows = for_decoding ? 1 : 128;
  const std::int64_t inner = std::min<std::int64_t>(model.hidden, 1024),
                     outer = std::min<std::int64_t>(model.intermediate, 2048);
  const double fp32 = best_seconds(at::kFloat, rows, inner, outer),
               bf16 = best_seconds(at::kBFloat16, rows, inner, outer);
  return bf16 < fp32 ? DType::BFloat16 : DType::Float32;
}

}  // namespace carryover
