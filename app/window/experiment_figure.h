// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/figure_request.h"

namespace carryover {

/// Returns true if `path` is an experiment's folder, or a file of its results.
bool is_experiment(const std::string& path);

/// Makes a figure of widgets/plot/experiment_plots.h, for the text that the choice "Text=NAME" names. Needs a
/// QApplication. Throws EngineError{Usage, BadInput, Io}.
void make_experiment_figure(const FigureRequest& request);

}  // namespace carryover
