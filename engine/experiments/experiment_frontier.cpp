// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/experiments/experiment_frontier.h"

#include <algorithm>

namespace carryover {

ExperimentFrontier experiment_frontier(const ResultsView& results, const std::string& model, std::int64_t length,
                                       const std::vector<std::string>& recipes) {
  ExperimentFrontier frontier{length, 0, {}};
  std::vector<FrontierCondition>& all = frontier.conditions;
  for (const ResultsView::Condition& condition : results.conditions(model)) {
    if (!recipes.empty() && std::ranges::find(recipes, condition.recipe) == recipes.end()) continue;
    const auto loss = results.mean_loss(model, condition, length);
    const auto bytes = results.kv_bytes(model, condition, length);
    if (!loss || !bytes) continue;
    const ResultsView::Run& run = *results.runs_of(model, condition).front();
    if (run.policy == "full") frontier.full_bytes = std::max(frontier.full_bytes, *bytes);
    all.push_back({condition, run.settings_text(), *bytes, *loss});
  }
  std::ranges::stable_sort(all, {}, &FrontierCondition::bytes);
  for (FrontierCondition& one : all)
    one.best = std::ranges::none_of(
        all, [&](const FrontierCondition& other) { return other.bytes <= one.bytes && other.loss < one.loss; });
  return frontier;
}

}  // namespace carryover
