// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>

#include "widgets/panel.h"
#include "widgets/plot_view.h"

namespace carryover {

class SegmentCursor;

/// Where each segment's time went: milliseconds a token by part, stacked.
class TimePanel : public Panel {
  Q_OBJECT
 public:
  explicit TimePanel(LabContext& context, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override { return {plot_}; }

 protected:
  void refresh() override;

 private:
  void start();
  void append(const SegmentRecord& record);

  PlotView* plot_;
  SegmentCursor* cursor_;
  std::array<int, kTimeParts.size()> curves_{};
  int drawn_ = -1;  ///< segments drawn; -1: the run has begun anew
};

}  // namespace carryover
