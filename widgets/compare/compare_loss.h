// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "widgets/compare/compare_page.h"

namespace carryover {

class SegmentCursor;

/// Loss of A minus loss of B over common targets: by segment, as the running mean, which is over the whole run so far
/// whatever range is on show, and token by token.
class CompareLoss : public ComparePage {
  Q_OBJECT
 public:
  CompareLoss(LinkedContext& context, QWidget* parent);
  std::vector<PlotView*> plots() override { return {by_segment_, by_token_}; }
  void restart() override;
  void draw() override;

 private:
  void append(int segment);

  PlotView *by_segment_, *by_token_;
  SegmentCursor* cursor_;
  int worse_, better_, running_, token_;  ///< curves
  int drawn_ = -1;                        ///< segments drawn; -1: none, and another comparison
  LossChange sum_;
};

}  // namespace carryover
