// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/figure_request.h"

namespace carryover {

class PlotView;

/// Writes a plot as the request says: part, format, size, style; with the command that makes it again. Throws
/// EngineError{Usage, Io}.
void write_figure(PlotView& plot, const FigureRequest& request);

}  // namespace carryover
