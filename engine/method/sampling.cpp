// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/method/sampling.h"

#include <ATen/ATen.h>

#include <cmath>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/runtime/cuda_runtime.h"
#include "engine/runtime/device_copy.h"

namespace carryover {

namespace {

/// Throws if `value` is not finite. The argmax takes NaN for the largest value, and NaN makes a softmax NaN, so
/// checking one value is enough.
void refuse_non_finite(double value) {
  if (std::isfinite(value)) return;
  throw EngineError(Fault::BadInput, "logits", "are not finite: there is no token to choose",
                    "The weights are finite, and what they compute overflows: use --dtype fp32, or another model.");
}

/// Returns the likeliest token and its logit. Waits for a GPU once.
std::pair<std::int64_t, double> likeliest(const at::Tensor& logits) {
  if (!ops::takes_kernels(logits.device())) {
    const std::int64_t best = logits.argmax().item<std::int64_t>();
    return {best, logits[best].item<double>()};
  }
  const auto [logit, best] = logits.max(0);
  const std::vector<at::Tensor> found = ops::download({logit, best});
  return {found[1].item<std::int64_t>(), found[0].item<double>()};
}

}  // namespace

std::int32_t Sampler::choose(const at::Tensor& logits) {
  if (sampling_.temperature <= 0) {
    const auto [best, logit] = likeliest(logits);
    refuse_non_finite(logit);
    return static_cast<std::int32_t>(best);
  }
  const at::Tensor probabilities = (logits.cpu().to(at::kDouble) / sampling_.temperature).softmax(0);
  const auto [sorted, order] = probabilities.sort(/*stable=*/true, /*dim=*/0, /*descending=*/true);
  const double* p = sorted.const_data_ptr<double>();
  refuse_non_finite(p[0]);
  const std::int64_t count = sorted.size(0);

  std::int64_t kept = 0;
  double mass = 0;
  while (kept < count && (kept == 0 || mass < sampling_.top_p)) mass += p[kept++];
  // A uniform number from 53 random bits is the same with every standard library.
  double left = static_cast<double>(generator_() >> 11) * 0x1.0p-53 * mass;
  std::int64_t chosen = 0;
  while (chosen + 1 < kept && left >= p[chosen]) left -= p[chosen++];
  return static_cast<std::int32_t>(order[chosen].item<std::int64_t>());
}

}  // namespace carryover
