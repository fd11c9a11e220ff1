// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <map>
#include <utility>
#include <vector>

#include "widgets/compare/compare_page.h"

namespace carryover {

class SegmentCursor;

/// The share of hits that two runs have in common: Jaccard by segment, over all heads and of the selected one, and by
/// head over the segments shown.
class CompareOverlap : public ComparePage {
  Q_OBJECT
 public:
  CompareOverlap(LinkedContext& context, QWidget* parent);
  std::vector<PlotView*> plots() override { return {by_segment_, by_head_}; }
  void restart() override;
  void draw() override;

 private:
  void append(int segment);
  void draw_selected_head();
  void draw_heads();
  void select_head(double x, double y);

  PlotView *by_segment_, *by_head_;
  SegmentCursor* cursor_;
  int all_, selected_;                            ///< curves
  int drawn_ = -1;                                ///< segments drawn; -1: none, and another comparison
  HeadRef drawn_head_{-2, -2};                    ///< of the selected head's curve
  std::map<std::pair<int, int>, Overlap> heads_;  ///< by layer and head
  std::vector<int> layers_;                       ///< rows of the map
};

}  // namespace carryover
