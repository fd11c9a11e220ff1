// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/figure_request.h"
#include "app/script/script.h"

namespace carryover {

/// A figure or report of a finished run, by the window's own panels and without a display; or a figure of an
/// evaluation, a bench or an experiment. Makes its own QApplication: there must be none. Throws EngineError{Usage,
/// BadInput, Io}.
void make_figure(const FigureRequest& request);

/// The statements of a script that make it.
std::vector<Statement> figure_script(const FigureRequest& request);

}  // namespace carryover
