// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/measured_limits.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <chrono>

#include "engine/families/weight_rows.h"
#include "engine/ops/linear.h"
#include "engine/runtime/scalar_type.h"

namespace carryover {

namespace {

constexpr double kSeconds = 0.2;                               ///< time for which each rate is kept up
constexpr std::int64_t kTriadValues = std::int64_t{16} << 20;  ///< of each array, fp32: 64 MB

/// Calls a second, over kSeconds at least, without the first call. `work` returns what it made, which is waited for.
template <typename Work>
double calls_per_second(const Work& work) {
  using Clock = std::chrono::steady_clock;
  const auto wait_for = [](const at::Tensor& made) { made.flatten().narrow(0, 0, 1).cpu(); };
  wait_for(work());
  const auto start = Clock::now();
  double seconds = 0;
  std::int64_t calls = 0, batch = 1;
  while (seconds < kSeconds) {
    at::Tensor last;
    for (std::int64_t i = 0; i < batch; ++i) last = work();
    wait_for(last);
    calls += batch;
    batch *= 2;  // on a GPU, one wait for many calls
    seconds = std::chrono::duration<double>(Clock::now() - start).count();
  }
  return static_cast<double>(calls) / seconds;
}

MatmulRate rate_of(const std::string& name, std::int64_t rows, std::int64_t inner, std::int64_t outer,
                   at::TensorOptions options) {
  const at::Tensor x = at::randn({rows, inner}, options), w = at::randn({outer, inner}, options);
  const double flops = 2.0 * static_cast<double>(rows) * static_cast<double>(inner) * static_cast<double>(outer);
  return {name, rows, inner, outer, flops * calls_per_second([&] { return ops::linear(x, w); })};
}

}  // namespace

MachineLimits find_limits(const ModelInfo& info, std::int64_t rows) {
  const at::NoGradGuard no_gradients;
  const ModelConfig& model = info.config;
  const at::ScalarType type = scalar_type(info.dtype);
  const auto options = at::TensorOptions().dtype(type).device(info.device == Device::Cuda ? at::kCUDA : at::kCPU);
  const std::int64_t side = std::clamp<std::int64_t>(model.hidden, 64, 4096);
  MachineLimits limits;
  for (const SlotShape& slot : layer_slots(model))
    if (!slot.is_vector())
      limits.products.push_back(rate_of(std::string(slot_name(slot.slot)), rows, slot.columns, slot.rows(), options));
  limits.products.push_back(rate_of("square", side, side, side, options));

  const at::Tensor b = at::ones({kTriadValues}, options.dtype(at::kFloat)), c = at::ones_like(b);
  at::Tensor a = at::zeros_like(b);
  const double triad_bytes = 3.0 * static_cast<double>(b.nbytes());
  limits.bytes_per_second = triad_bytes * calls_per_second([&] { return at::add_out(a, b, c, 2); });
  return limits;
}

}  // namespace carryover
