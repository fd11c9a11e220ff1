// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "engine/statistics/bootstrap.h"
#include "widgets/plot/plot_view.h"

namespace carryover {

/// Curves of a plot whose points have intervals, drawn as strokes. Curves stay once they are there, and are hidden
/// where fewer are needed. GUI thread.
class IntervalCurves {
 public:
  explicit IntervalCurves(PlotView& plot) : plot_(plot) {}  ///< which has no other curves and outlives this
  void begin(const std::vector<std::string>& names);        ///< empty curves with these names
  void add(int curve, double x, double y, const std::optional<MeanInterval>& interval);
  void add(int curve, double x, const MeanInterval& interval);  ///< a stroke where it has bounds
  /// One point at this height, with its interval along the horizontal axis.
  void add_across(int curve, double y, const MeanInterval& interval);

 private:
  PlotView& plot_;
  int pairs_ = 0;  ///< curves 2i and 2i + 1: points and their intervals
};

}  // namespace carryover
