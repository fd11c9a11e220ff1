// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/experiments/results_view.h"

namespace carryover {

/// A comparison of an experiment at one length. A plain value.
struct ComparedLoss {
  std::size_t comparison = 0;  ///< its place in ResultsView::comparisons
  std::size_t length = 0;      ///< its place in ResultsView::lengths
  ClusterInterval difference;  ///< of the loss, nats a target, over the books that both sides have
};

/// Of the first model, comparison by comparison and lengths ascending; those without a book on both sides are left out.
/// Draws 10,000 bootstrap samples for each. Pure; any thread.
std::vector<ComparedLoss> compared_losses(const ResultsView& results);

}  // namespace carryover
