// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/evaluations/choice_scores.h"

#include <algorithm>
#include <numbers>

#include "engine/base/error.h"

namespace carryover {

std::optional<bool> greedy_by_losses(std::span<const ScoredChoice> choices, std::size_t which) {
  const ScoredChoice& own = choices[which];
  for (const ScoredChoice& other : choices) {
    const std::size_t shared = std::min(own.ids.size(), other.ids.size());
    for (std::size_t i = 0; i < shared; ++i) {
      if (own.ids[i] == other.ids[i]) continue;
      if (other.nll[i] < own.nll[i]) return false;
      break;
    }
  }
  if (std::ranges::all_of(own.nll, [](double nll) { return nll < std::numbers::ln2; })) return true;
  return std::nullopt;
}

bool are_largest(std::span<const float> logits, std::span<const std::int32_t> ids) {
  CARRYOVER_CHECK(!ids.empty() && logits.size() % ids.size() == 0);
  const std::size_t vocabulary = logits.size() / ids.size();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto row = logits.subspan(i * vocabulary, vocabulary);
    const float own = row[static_cast<std::size_t>(ids[i])];
    if (std::ranges::any_of(row, [&](float logit) { return logit > own; })) return false;
  }
  return true;
}

}  // namespace carryover
