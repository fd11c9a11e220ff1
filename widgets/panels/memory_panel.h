// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "widgets/panel.h"
#include "widgets/plot_view.h"

class QCheckBox;

namespace carryover {

class SegmentCursor;

/// Memory by kind, stacked, measured at each segment's end; the cost model's prediction and full attention's KV over
/// it.
class MemoryPanel : public Panel {
  Q_OBJECT
 public:
  explicit MemoryPanel(LabContext& context, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override { return {plot_}; }

 protected:
  void refresh() override;

 private:
  void start();  ///< predictions of a run that has begun
  void draw_prediction();
  void append(const SegmentRecord& record);

  PlotView* plot_;
  SegmentCursor* cursor_;
  QCheckBox *weights_shown_, *full_shown_, *logarithmic_;
  int weights_, attention_, carry_, pool_, activations_, predicted_, full_;
  int drawn_ = -1;  ///< segments drawn; -1: the run has begun anew
};

}  // namespace carryover
