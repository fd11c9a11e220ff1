// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "engine/core/analysis/bootstrap.h"
#include "widgets/plot/plot_view.h"

namespace carryover {

/// Curves of an evaluation's policies in a plot, with strokes for intervals of scores. Curves stay once they are there,
/// and are hidden where an evaluation has fewer policies. GUI thread.
class IntervalCurves {
 public:
  explicit IntervalCurves(PlotView& plot) : plot_(plot) {}  ///< which has no other curves and outlives this
  void begin(const std::vector<std::string>& policies);     ///< empty curves with these names
  void add(int policy, double x, double y, const std::optional<MeanInterval>& interval);

 private:
  PlotView& plot_;
  int pairs_ = 0;  ///< curves 2i and 2i + 1: a policy and its intervals
};

}  // namespace carryover
