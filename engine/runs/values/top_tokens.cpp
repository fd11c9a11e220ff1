// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/values/top_tokens.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/error.h"

namespace carryover {

namespace {

double log_sum_exp(std::span<const float> logits) {
  const double top = *std::ranges::max_element(logits);
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - top);
  return top + std::log(sum);
}

}  // namespace

std::vector<TopToken> top_tokens(std::span<const float> logits, std::int32_t target, float target_logprob,
                                 std::int64_t count) {
  CARRYOVER_CHECK(target >= 0 && target < std::ssize(logits) && count >= 0);
  const auto logit_of = [&](std::int32_t id) { return logits[static_cast<std::size_t>(id)]; };
  const auto is_before = [&](std::int32_t a, std::int32_t b) {
    return logit_of(a) != logit_of(b) ? logit_of(a) > logit_of(b) : a < b;
  };
  std::vector<std::int32_t> ids(logits.size());
  std::iota(ids.begin(), ids.end(), 0);
  const auto end = ids.begin() + std::min<std::ptrdiff_t>(count, std::ssize(ids));
  std::partial_sort(ids.begin(), end, ids.end(), is_before);
  ids.erase(end, ids.end());
  if (std::ranges::find(ids, target) == ids.end()) ids.push_back(target);

  const double log_sum = log_sum_exp(logits);
  std::vector<TopToken> top;
  for (const std::int32_t id : ids) {
    const auto own = static_cast<float>(static_cast<double>(logit_of(id)) - log_sum);
    const float held = is_before(id, target) ? std::max(own, target_logprob) : std::min(own, target_logprob);
    top.push_back({id, id == target ? target_logprob : held});
  }
  return top;
}

}  // namespace carryover
