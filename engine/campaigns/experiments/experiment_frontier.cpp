// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/experiments/experiment_frontier.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace carryover {

ExperimentFrontier experiment_frontier(const ResultsView& results, const std::string& model, std::int64_t length,
                                       const std::vector<std::string>& recipes) {
  ExperimentFrontier frontier{length, 0, {}};
  std::multimap<double, FrontierCondition> by_bytes;  // those with as many stay in the plan's order
  for (const ResultsView::Condition& condition : results.conditions(model)) {
    if (!recipes.empty() && std::ranges::find(recipes, condition.recipe) == recipes.end()) continue;
    const auto loss = results.mean_loss(model, condition, length);
    const auto bytes = results.kv_bytes(model, condition, length);
    if (!loss || !bytes) continue;
    const ResultsView::Run& run = *results.runs_of(model, condition).front();
    if (run.policy == "full") frontier.full_bytes = std::max(frontier.full_bytes, *bytes);
    by_bytes.emplace(*bytes, FrontierCondition{condition, run.settings_text(), *bytes, *loss});
  }
  double lowest = std::numeric_limits<double>::infinity();  // of those with at most as many
  for (auto same = by_bytes.begin(); same != by_bytes.end();) {
    const auto after = by_bytes.upper_bound(same->first);
    for (auto one = same; one != after; ++one) lowest = std::min(lowest, one->second.loss);
    for (; same != after; ++same) {
      same->second.best = same->second.loss <= lowest;
      frontier.conditions.push_back(std::move(same->second));
    }
  }
  return frontier;
}

}  // namespace carryover
