// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractScrollArea>
#include <QWidget>
#include <vector>

#include "widgets/lab_context.h"

class QComboBox;
class QLabel;

namespace carryover {

/// One cell a segment, coloured by a value of it; the carry between cells; arcs from the selected segment to where its
/// hits come from; a brace over the K transitions that gradients would cross. Draws only the cells on screen. GUI
/// thread.
class RibbonStrip : public QAbstractScrollArea {
  Q_OBJECT
 public:
  enum class Value { Loss, Perplexity, CarryNorm, Hits };

  explicit RibbonStrip(LabContext& context, QWidget* parent = nullptr);
  void set_value(Value value);
  QString scale_text() const;                      ///< the colours' range
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
  void mouseReleaseEvent(QMouseEvent*) override {}  ///< taken, so that it goes to no parent
  void keyPressEvent(QKeyEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  struct SegmentValues {
    double loss, carry_norm, hits;
  };
  void append(int first, int last);
  void reset();
  int segments() const;
  double pitch() const;  ///< pixels from one cell to the next
  double value_of(int segment) const;
  void update_scale();
  void update_range();
  void show_selected();
  void paint_cell(QPainter& painter, int segment) const;
  void paint_carry(QPainter& painter, int segment) const;
  void paint_arcs(QPainter& painter) const;
  void paint_brace(QPainter& painter) const;
  QString describe(int segment) const;

  LabContext& context_;
  Value value_ = Value::Loss;
  std::vector<SegmentValues> values_;  ///< kept here: a snapshot's maps may be dropped
  double least_ = 0, largest_ = 1;
};

/// The strip with the choice of its value. GUI thread.
class ContextRibbon : public QWidget {
  Q_OBJECT
 public:
  explicit ContextRibbon(LabContext& context, QWidget* parent = nullptr);
  RibbonStrip* strip() { return strip_; }

 private:
  RibbonStrip* strip_;
  QComboBox* value_;
  QLabel* scale_;
};

}  // namespace carryover
