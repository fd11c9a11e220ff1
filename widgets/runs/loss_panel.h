// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "widgets/runs/segment_curves_panel.h"

namespace carryover {

/// Loss per segment and its cumulative mean, with perplexity on the right axis. The mean is over the whole run so far,
/// whatever range is on show: a point has one value.
class LossPanel : public SegmentCurvesPanel {
  Q_OBJECT
 public:
  explicit LossPanel(LabContext& context, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override { return {plot_}; }

 protected:
  void start() override;
  void count(const SegmentRecord& record) override;
  void append(const SegmentRecord& record) override;

 private:
  PlotView* plot_;
  int segment_, mean_;  ///< curves
  double nll_sum_ = 0;
  double targets_ = 0;
};

}  // namespace carryover
