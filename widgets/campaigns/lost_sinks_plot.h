// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>

#include "engine/campaigns/experiments/results_view.h"

namespace carryover {

class PlotView;

/// The figure of an experiment's perplexity at `length` tokens against the share of segments that lost their attention
/// sink. Draws into a plot that is empty yet: a point for each recipe and evaluation of the first model that keeps a
/// carry or retrieves, and measured sinks. Title and axes. GUI thread.
void draw_lost_sinks(PlotView& plot, const ResultsView& results, std::int64_t length);

}  // namespace carryover
