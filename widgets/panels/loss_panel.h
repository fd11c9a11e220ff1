// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "widgets/panels/segment_curves_panel.h"

namespace carryover {

/// Loss per segment, raw and as the running mean over all targets so far; the same as perplexity beside it.
class LossPanel : public SegmentCurvesPanel {
  Q_OBJECT
 public:
  explicit LossPanel(LabContext& context, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override { return {nll_.plot, ppl_.plot}; }

 protected:
  void start() override;
  void append(const SegmentRecord& record) override;

 private:
  struct Curves {
    PlotView* plot;
    int segment, running;
  };
  Curves make_plot(const QString& id, const QString& title, const QString& y_label, std::size_t colour);

  Curves nll_, ppl_;
  double nll_sum_ = 0;
  double targets_ = 0;
};

}  // namespace carryover
