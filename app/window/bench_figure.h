// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/figure_request.h"

namespace carryover {

/// Returns true if `carryover bench --output` wrote `folder`.
bool is_bench_folder(const std::string& folder);

/// Makes a figure of widgets/bench/bench_plots.h by its name. Needs a QApplication. Throws EngineError{Usage, BadInput,
/// Io}.
void make_bench_figure(const FigureRequest& request);

}  // namespace carryover
