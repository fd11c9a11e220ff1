// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/campaigns/experiments/results_view.h"

namespace carryover {

/// A comparison of an experiment at one length. A plain value.
struct ComparedLoss {
  std::size_t comparison = 0;  ///< its place in ResultsView::comparisons
  std::size_t length = 0;      ///< its place in ResultsView::lengths
  ClusterInterval difference;  ///< of the loss, nats a target, over the books that both sides have
};

/// Returns the comparisons of the first model, comparison by comparison and lengths ascending, without those that have
/// no book on both sides. Draws 10,000 bootstrap samples for each. Pure; any thread.
std::vector<ComparedLoss> compared_losses(const ResultsView& results);

}  // namespace carryover
