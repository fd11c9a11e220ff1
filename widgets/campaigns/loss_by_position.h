// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include "engine/campaigns/experiments/results_view.h"

namespace carryover {

class PlotView;

/// The figure of an experiment's loss along a text. Draws into a plot that is empty yet: a curve for each recipe and
/// evaluation of the first model, named with the bytes of keys and values that the last token sees; title and axes.
/// `text`: a title or a file of the results; empty: the first. Throws EngineError{Usage} naming those that there are.
/// GUI thread.
void draw_loss_by_position(PlotView& plot, const ResultsView& results, const QString& text);

}  // namespace carryover
