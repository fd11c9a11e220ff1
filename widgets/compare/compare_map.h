// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "widgets/compare/compare_page.h"

class QComboBox;

namespace carryover {

/// Hits of A minus hits of B: query segment × source position for one head, or heads × source position for one segment.
/// Orange: only A retrieves there; blue: only B does; grey: both.
class CompareMap : public ComparePage {
  Q_OBJECT
 public:
  CompareMap(LinkedContext& context, QWidget* parent);
  std::vector<PlotView*> plots() override { return {plot_}; }
  void restart() override;
  void draw() override;

 private:
  struct Row {
    int segment, layer, head;
    std::vector<BriefHit> b;  ///< B's hits at A's positions
  };
  bool by_segment() const;
  std::vector<Row> rows();
  void add_row(std::vector<Row>& rows, int segment, int layer, int head);
  std::vector<Row> with_any_hits(std::vector<Row> rows) const;
  HeadRef compared_head();
  BriefHits hits_of_a(const Row& row) const;  ///< where a segment of B's starts at the same token
  void draw_cells();
  void show_selection();
  void select_at(double x, double y);
  QString text_at(double x, double y) const;
  QString csv() const;

  PlotView* plot_;
  QComboBox* axis_;
  std::vector<Row> rows_;
  HitGrid grid_;
  bool drawing_ = false;
};

}  // namespace carryover
