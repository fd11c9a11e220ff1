// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "widgets/panel.h"
#include "widgets/plot_view.h"

namespace carryover {

class SegmentCursor;

/// Loss per segment, raw and as the running mean over all targets so far; the same as perplexity beside it.
class LossPanel : public Panel {
  Q_OBJECT
 public:
  explicit LossPanel(LabContext& context, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override { return {nll_.plot, ppl_.plot}; }

 protected:
  void refresh() override;

 private:
  struct Curves {
    PlotView* plot;
    int segment, running;
  };
  Curves make_plot(const QString& id, const QString& title, const QString& y_label, std::size_t colour);
  void append(const SegmentRecord& record);

  Curves nll_, ppl_;
  SegmentCursor* cursor_;
  int drawn_ = -1;  ///< segments drawn; -1: the run has begun anew
  double nll_sum_ = 0;
  double targets_ = 0;
};

}  // namespace carryover
