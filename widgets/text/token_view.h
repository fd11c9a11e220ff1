// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractScrollArea>
#include <functional>
#include <limits>
#include <optional>
#include <unordered_map>

#include "engine/runs/values/hits.h"
#include "widgets/runs/state/run_model.h"
#include "widgets/text/state/text_units.h"
#include "widgets/text/token_layout.h"

namespace carryover {

/// The mark that the selected segment's hits give a token.
struct TokenMark {
  HitKind kind = HitKind::Anchor;
  int heads = 1;  ///< that fetched it
};

/// The marks that TokenView paints beside the text. A plain value.
struct TokenMarks {
  std::unordered_map<std::int64_t, TokenMark> hits;
  int most_heads = 1;
  bool one_head = false;                            ///< hits are one head's: colour by kind, else by number of heads
  std::int64_t segment_begin = 0, segment_end = 0;  ///< the selected segment
  std::int64_t carry_begin = 0, carry_end = 0;      ///< the tail carried into it
  std::int64_t pinned = -1;                         ///< a token that others are held against
  std::int64_t shown_begin = 0;                     ///< the range that views are filtered to; the rest is dimmed
  std::int64_t shown_end = std::numeric_limits<std::int64_t>::max();
};

/// Paints a text of any length: only the lines on screen are laid out and drawn; no token is a widget. GUI thread.
class TokenView : public QAbstractScrollArea {
  Q_OBJECT
 public:
  enum class Colouring { Hits, Loss, None, LossChange, Source };

  explicit TokenView(const RunModel& run, QWidget* parent = nullptr);

  void reset();  ///< another text
  void set_marks(TokenMarks marks);
  bool is_marked(std::int64_t token) const { return marks_.hits.contains(token); }
  void set_colouring(Colouring colouring);
  /// Sets how many nats a token's loss differs by from the loss that it is compared with; NaN if it is not compared.
  /// For LossChange.
  void set_loss_change(std::function<float(std::int64_t)> change);
  /// Sets the colour of a token as a source of the selected one; nothing if it is none. For Source.
  void set_source(std::function<std::optional<QColor>(std::int64_t)> colour);
  void set_unit(TextUnit unit);  ///< that has one colour: the mean of its losses, or its strongest hit
  TokenRange marked_range() const { return range_; }  ///< by dragging, or Shift and an arrow; empty where none is
  void set_marked_range(const TokenRange& range);
  void set_selected_token(std::int64_t token);
  void set_hovered_token(std::int64_t token);
  void set_tooltip(std::function<QString(std::int64_t)> tooltip) { tooltip_ = std::move(tooltip); }
  void show_token(std::int64_t token, bool at_top);  ///< scrolls where it isn't visible (or always, to the top)
  std::int64_t token_at(QPoint viewport_position);   ///< -1 where there is none
  QRect token_rect(std::int64_t token);              ///< in the viewport; empty where it isn't visible

 Q_SIGNALS:
  void token_clicked(qint64 token);
  void token_hovered(qint64 token);
  void token_taken(qint64 token);  ///< by the right button, before its menu
  void menu_wanted(const QPoint& global_position);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;
  void changeEvent(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent*) override {}  ///< taken, so that it goes to no parent
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  int line_height() const;
  int gutter_width() const;
  int visible_lines() const;
  LinePlace last_top();
  void update_metrics();
  void update_scroll_bar();
  void paint_line(QPainter& painter, const TokenLine& line, int y);
  void paint_text(QPainter& painter, const TokenLine& line, int y);
  bool is_in_view(std::int64_t token) const;
  void paint_gutter(QPainter& painter, const TokenLine& line, int y);
  std::optional<QColor> background(std::int64_t token);
  double unit_mean(std::int64_t token);
  const TokenMark* unit_mark(std::int64_t token);
  void extend_range(std::int64_t token);
  void place_selection(std::int64_t token);

  const RunModel& run_;
  TokenLayout layout_;
  TokenMarks marks_;
  Colouring colouring_ = Colouring::Hits;
  LinePlace top_;
  int bar_value_ = 0;  ///< the scroll bar's value for `top_`
  std::int64_t selected_ = -1, hovered_ = -1;
  TextUnits units_;
  TextUnit unit_ = TextUnit::Token;
  TokenRange range_, painted_unit_;  ///< the unit that painted_mean_ is of
  std::optional<double> painted_mean_;
  std::int64_t range_start_ = -1;  ///< where dragging began
  std::function<QString(std::int64_t)> tooltip_;
  std::function<float(std::int64_t)> loss_change_;
  std::function<std::optional<QColor>(std::int64_t)> source_;
};

}  // namespace carryover
