// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "widgets/lab/panel.h"
#include "widgets/plot/plot_view.h"
#include "widgets/runs/state/hit_grid.h"

class QCheckBox;
class QComboBox;

namespace carryover {

/// A map of the sources of hits: query segment × source position for one head, or heads × source position for one
/// segment.
class RetrievalMapPanel : public Panel {
  Q_OBJECT
 public:
  explicit RetrievalMapPanel(LabContext& context, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override { return {plot_}; }

 protected:
  void refresh() override;

 private:
  /// The segment and head that a row of the map stands for.
  struct Row {
    int segment, layer, head;
    bool operator==(const Row&) const = default;
  };
  /// The inputs of the picture, which is made again only when they change.
  struct Drawn {
    std::vector<Row> rows;
    QRectF view;
    QSize pixels;
    int value = -1;
    bool padding = false;
    bool operator==(const Drawn&) const = default;
  };
  bool by_segment() const;
  std::vector<Row> rows();
  QString why_no_rows();
  BriefHits hits_of(const Row& row) const;
  const HeadHits* whole_hits_of(const Row& row) const;
  Drawn wanted() const;
  void draw(const std::vector<Row>& rows);
  void draw_boundary(const std::vector<Row>& rows);
  void follow_selection();
  void select_at(double x, double y);
  void step(int columns, int rows);
  QString text_at(double x, double y) const;
  QString csv() const;

  PlotView* plot_;
  QComboBox *axis_, *value_;
  QCheckBox* padding_;
  int boundary_;  ///< curve: where each row's segment starts
  std::vector<Row> rows_;
  Drawn drawn_;
  HitGrid grid_;
  int layer_ = -1, head_ = -1;  ///< the head shown by segment
  bool drawing_ = false;
};

}  // namespace carryover
