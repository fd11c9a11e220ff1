// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractScrollArea>
#include <QWidget>

#include "widgets/compare/state/ribbon_values.h"
#include "widgets/lab/lab_context.h"

class QComboBox;
class QLabel;
class QToolButton;

namespace carryover {

/// One cell a segment, coloured by a value of it; the carry between cells; arcs from the selected segment to where its
/// hits come from; a brace over the K transitions that gradients would cross; a badge where the sink is lost. A drag
/// filters all views to the segments it spans (Esc: all again), P pins the selected segment as reference. Draws only
/// the cells on screen. GUI thread.
class RibbonStrip : public QAbstractScrollArea {
  Q_OBJECT
 public:
  using Value = RibbonValue;
  static constexpr int arcs_height = 26, cell_height = 22, brace_height = 14;

  explicit RibbonStrip(LabContext& context, QWidget* parent = nullptr);
  void set_value(Value value);
  QString scale_text() const { return values_.scale_text(); }
  int segment_at(QPoint viewport_position) const;  ///< -1 where there is none
  QRect cell_rect(int segment) const;              ///< in the viewport

  QSize sizeHint() const override;

 Q_SIGNALS:
  void scale_changed();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  void append(int first, int last);
  void reset();
  void compare();  ///< with the pinned run
  int segments() const;
  double pitch() const;  ///< pixels from one cell to the next
  void update_range();
  void show_selected();
  void paint_cell(QPainter& painter, int segment) const;
  void paint_carry(QPainter& painter, int segment) const;
  void paint_badge(QPainter& painter, int segment) const;
  void paint_arcs(QPainter& painter) const;
  void paint_brace(QPainter& painter) const;
  void paint_range(QPainter& painter) const;
  void extend_range(int step);
  void toggle_pin(int segment);
  QString describe(int segment) const;
  bool has_lost_sink(int segment) const;
  void describe_all();  ///< for screen readers

  LabContext& context_;
  RibbonValues values_;
  std::vector<int> lost_;  ///< segments that lost their sink
  int pressed_ = -1;       ///< segment that a drag began at
  SegmentRange brushing_;  ///< what the drag under way spans
};

/// The strip with the choice of its value. GUI thread.
class ContextRibbon : public QWidget {
  Q_OBJECT
 public:
  explicit ContextRibbon(LabContext& context, QWidget* parent = nullptr);
  RibbonStrip* strip() { return strip_; }

 private:
  void show_range();

  LabContext& context_;
  RibbonStrip* strip_;
  QComboBox* value_;
  QLabel* scale_;
  QToolButton* all_;  ///< there while views are filtered
};

}  // namespace carryover
