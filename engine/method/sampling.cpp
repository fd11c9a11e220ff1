// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/method/sampling.h"

#include <ATen/ATen.h>

namespace carryover {

std::int32_t Sampler::choose(const at::Tensor& logits) {
  if (sampling_.temperature <= 0) return static_cast<std::int32_t>(logits.argmax().item<std::int64_t>());
  const at::Tensor probabilities = (logits.cpu().to(at::kDouble) / sampling_.temperature).softmax(0);
  const auto [sorted, order] = probabilities.sort(/*stable=*/true, /*dim=*/0, /*descending=*/true);
  const double* p = sorted.const_data_ptr<double>();
  const std::int64_t count = sorted.size(0);

  std::int64_t kept = 0;
  double mass = 0;
  while (kept < count && (kept == 0 || mass < sampling_.top_p)) mass += p[kept++];
  // 53 random bits make a uniform number that is the same with every standard library.
  double left = static_cast<double>(generator_() >> 11) * 0x1.0p-53 * mass;
  std::int64_t chosen = 0;
  while (chosen + 1 < kept && left >= p[chosen]) left -= p[chosen++];
  return static_cast<std::int32_t>(order[chosen].item<std::int64_t>());
}

}  // namespace carryover
