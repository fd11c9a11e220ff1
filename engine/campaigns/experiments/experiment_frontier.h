// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/campaigns/experiments/results_view.h"

namespace carryover {

/// The loss of a recipe under an evaluation, and its attention-visible KV. A plain value.
struct FrontierCondition {
  ResultsView::Condition condition;
  std::string settings;  ///< ResultsView::Run::settings_text()
  double bytes = 0;      ///< largest over texts and seeds, in the dtype of the run
  double loss = 0;       ///< nats a target, mean over books of the mean over seeds
  bool best = false;     ///< no condition with at most as many bytes has a lower loss
};

struct ExperimentFrontier {
  std::int64_t length = 0;                    ///< tokens of each text
  double full_bytes = 0;                      ///< bytes that full attention sees; 0 where it was not run
  std::vector<FrontierCondition> conditions;  ///< bytes ascending; those without a run of this length are missing
};

/// Returns the frontier of `recipes` (all if empty) at `length` tokens. Pure; any thread.
ExperimentFrontier experiment_frontier(const ResultsView& results, const std::string& model, std::int64_t length,
                                       const std::vector<std::string>& recipes = {});

}  // namespace carryover
