// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "widgets/runs/segment_curves_panel.h"

class QCheckBox;

namespace carryover {

/// Memory by kind, stacked, measured at each segment's end; the cost model's prediction and full attention's KV over
/// it.
class MemoryPanel : public SegmentCurvesPanel {
  Q_OBJECT
 public:
  explicit MemoryPanel(LabContext& context, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override { return {plot_}; }

 protected:
  void start() override;  ///< with the predictions of the run
  void append(const SegmentRecord& record) override;

 private:
  void draw_prediction();

  PlotView* plot_;
  QCheckBox *weights_shown_, *full_shown_, *logarithmic_;
  int weights_, attention_, carry_, pool_, activations_, predicted_, full_;
};

}  // namespace carryover
