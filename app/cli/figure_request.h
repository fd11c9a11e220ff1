// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace carryover {

/// The request of `carryover export RUN --figure NAME`, or --report. A plain value.
struct FigureRequest {
  /// The folder of a run, a training, an evaluation, a bench or an experiment; or an experiment's file of results.
  std::string folder;
  std::string figure;  ///< a plot's or a panel's name; empty: a report
  std::string output;
  std::string size = "85x60mm", style = "paper";
  int dpi = 300;
  std::optional<std::int64_t> segment, layer, head, token;  ///< none: chosen so that there are hits
  std::string foil;                                         ///< text of a token; empty: none
  std::vector<std::string> choices;                         ///< "SWITCH=VALUE" of the figure's panel
  std::vector<double> view;                                 ///< x0, x1, y0, y1; empty: everything
};

/// Makes a figure; throws EngineError. The program with the window has such a function, the command line alone has
/// none.
using FigureMaker = std::function<void(const FigureRequest& request)>;

}  // namespace carryover
