// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "engine/campaigns/experiments/results_view.h"

namespace carryover {

/// The loss of a condition along a text. A plain value.
struct PositionLosses {
  ResultsView::Condition condition;
  double attention_kv_bytes = 0;                  ///< KV that the last token sees
  std::vector<std::pair<double, double>> points;  ///< middle of a part, tokens; its loss, nats a target
};

/// Returns the losses of every condition that read the text `file`, in the plan's order; a value is the mean over
/// seeds. Segments are joined into `parts` parts of similar length, or stay separate where there are no more than that.
/// Pure.
std::vector<PositionLosses> position_losses(const ResultsView& results, const std::string& model,
                                            const std::string& file, std::size_t parts = 16);

}  // namespace carryover
