// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>
#include <optional>

#include "engine/config/head_patterns.h"
#include "widgets/lab/lab_context.h"

class QMenu;

namespace carryover {

/// The role of a head in a layer, as the grid shows it by glyph and colour.
enum class HeadRole { Local, LongRange, Retrieving, Windowed };
/// Returns the role in a layer without a window of its own.
HeadRole head_role(const Grouping& grouping, int layer, int head);

/// The layers × heads grid: a row a layer, a column a query head. Looking: a click selects the head in every view.
/// Editing: a click toggles a head, a rubber band turns all it spans into what the first one becomes, a click on a
/// layer's label toggles the layer, a click with Shift makes a head search or not. Space, L and S edit at any time by
/// key. A corner marks the searchers of a shared search. The context menu patches a head from the pinned run, and under
/// MInference's policy asks for its pattern. GUI thread.
class HeadGrid : public QWidget {
  Q_OBJECT
 public:
  explicit HeadGrid(LabContext& context, QWidget* parent = nullptr);

  void set_editing(bool editing);
  struct Cell {
    int layer = -1, head = -1;  ///< head −1: the layer's label
    bool operator==(const Cell&) const = default;
  };
  std::optional<Cell> cell_at(QPoint position) const;
  QRect cell_rect(int layer, int head) const;  ///< head −1: the layer's label

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  int layers() const;
  int heads() const;
  void measure_labels();
  double cell_width() const;
  double cell_height() const;
  QRect band() const;  ///< the rubber band in cells: x heads, y layers
  void toggle_layer(int layer);
  void toggle_searcher(HeadRef head);
  bool refuses_windowed(int layer);
  HeadRole role(int layer, int head) const;
  bool searches(HeadRef head) const;  ///< for all readers
  void edit_heads(QRect cells);
  void offer_patch(QMenu& menu, const QString& text, int layer, int head);
  bool has_patterns() const;  ///< patterns of heads that the policy reads
  void ask_pattern(HeadRef head);
  void set_pattern(HeadRef head, const HeadPattern& pattern);
  void paint_labels(QPainter& painter) const;
  void paint_layer_labels(QPainter& painter) const;
  void paint_cell(QPainter& painter, int layer, int head) const;
  QString describe(const Cell& cell) const;
  QString reads(const Cell& cell) const;

  LabContext& context_;
  int label_width_ = 0;  ///< of the column left of the cells
  bool editing_ = false;
  std::optional<Cell> press_, drag_;
};

}  // namespace carryover
