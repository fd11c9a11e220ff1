// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>

#include "widgets/runs/segment_curves_panel.h"

namespace carryover {

/// The time of each segment: milliseconds a token by part, stacked.
class TimePanel : public SegmentCurvesPanel {
  Q_OBJECT
 public:
  explicit TimePanel(LabContext& context, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override { return {plot_}; }

 protected:
  void start() override;
  void append(const SegmentRecord& record) override;

 private:
  PlotView* plot_;
  std::array<int, kTimeParts.size()> curves_{};
};

}  // namespace carryover
