// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/token_view.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/look/colour_mix.h"
#include "widgets/look/gradients.h"
#include "widgets/look/theme.h"

namespace carryover {
namespace {

constexpr int margin = 8;
constexpr double full_scale_nats = 10.0;  ///< loss that reaches the end of the colour scale
constexpr double full_change_nats = 2.0;  ///< the same for a change of loss
constexpr int far_jump_pages = 4;         ///< beyond it a scroll goes by estimate, not line by line

}  // namespace

TokenView::TokenView(const RunModel& run, QWidget* parent) : QAbstractScrollArea(parent), run_(run), units_(run) {
  setAccessibleName(tr("Text"));
  setAccessibleDescription(tr("The text by tokens. Left and right select a token; Page Up and Page Down scroll."));
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  viewport()->setMouseTracking(true);
  viewport()->setCursor(Qt::IBeamCursor);
  layout_.reset(&run_);
}

void TokenView::reset() {
  layout_.reset(&run_);
  marks_ = {};
  top_ = {};
  selected_ = hovered_ = range_start_ = -1;
  range_ = {};
  update_metrics();
  update_scroll_bar();
  viewport()->update();
}

void TokenView::set_marks(TokenMarks marks) {
  marks_ = std::move(marks);
  viewport()->update();
}

void TokenView::set_colouring(Colouring colouring) {
  colouring_ = colouring;
  viewport()->update();
}

void TokenView::set_loss_change(std::function<float(std::int64_t)> change) {
  loss_change_ = std::move(change);
  viewport()->update();
}

void TokenView::set_source(std::function<std::optional<QColor>(std::int64_t)> colour) {
  source_ = std::move(colour);
  viewport()->update();
}

void TokenView::set_unit(TextUnit unit) {
  unit_ = unit;
  viewport()->update();
}

void TokenView::set_marked_range(const TokenRange& range) {
  if (range == range_) return;
  range_ = range;
  viewport()->update();
}

void TokenView::extend_range(std::int64_t token) {
  if (token < 0 || range_start_ < 0) return;
  set_marked_range({std::min(token, range_start_), std::max(token, range_start_) + 1});
}

/// The next key or menu may come before the panel has heard of it.
void TokenView::place_selection(std::int64_t token) {
  range_start_ = token;
  set_marked_range({});
  set_selected_token(token);
}

void TokenView::set_selected_token(std::int64_t token) {
  selected_ = token;
  viewport()->update();
}

void TokenView::set_hovered_token(std::int64_t token) {
  if (hovered_ == token) return;
  hovered_ = token;
  viewport()->update();
}

int TokenView::line_height() const {
  return fontMetrics().height() + 5;
}
int TokenView::gutter_width() const {
  return fontMetrics().horizontalAdvance(QStringLiteral("00 000 000")) + 2 * margin;
}
int TokenView::visible_lines() const {
  return std::max(1, viewport()->height() / line_height());
}

void TokenView::update_metrics() {
  const LinePlace before = top_;
  const bool empty = layout_.token_count() == 0;
  std::int64_t first = -1;
  if (!empty && before.block < layout_.block_count()) {
    const auto& lines = layout_.lines(before.block);
    const auto& line = lines[static_cast<std::size_t>(std::clamp(before.line, 0, static_cast<int>(lines.size()) - 1))];
    if (!line.empty()) first = line.front().token;
  }
  layout_.set_metrics(font(), std::max(80, viewport()->width() - gutter_width() - 2 * margin));
  top_ = first > 0 ? layout_.place_of_token(first) : LinePlace{};
}

void TokenView::update_scroll_bar() {
  const QSignalBlocker blocker(verticalScrollBar());
  const std::int64_t lines = layout_.estimated_lines();
  verticalScrollBar()->setPageStep(visible_lines());
  verticalScrollBar()->setSingleStep(3);
  verticalScrollBar()->setRange(0, static_cast<int>(std::max<std::int64_t>(0, lines - visible_lines())));
  verticalScrollBar()->setValue(static_cast<int>(layout_.estimated_line_of(top_)));
  bar_value_ = verticalScrollBar()->value();
}

/// Returns the first line on screen when the text's end is at the view's bottom.
LinePlace TokenView::last_top() {
  if (layout_.block_count() == 0) return {};
  const int block = layout_.block_count() - 1;
  return layout_.moved({block, static_cast<int>(layout_.lines(block).size()) - 1}, 1 - visible_lines());
}

// The bar counts estimated lines; the place on screen is exact. So near moves go by lines and only far ones by
// estimate. Qt's own distance is from the last value that it moved the bar to, and knows nothing of show_token().
void TokenView::scrollContentsBy(int /*dx*/, int /*dy*/) {
  const QScrollBar* bar = verticalScrollBar();
  const int down = bar->value() - bar_value_;
  if (std::abs(down) > far_jump_pages * visible_lines() || bar->value() == bar->minimum()) {
    top_ = layout_.place_of_estimate(bar->value());
  } else {
    top_ = layout_.moved(top_, down);
  }
  if (bar->value() == bar->maximum()) top_ = last_top();
  update_scroll_bar();
  viewport()->update();
}

void TokenView::show_token(std::int64_t token, bool at_top) {
  if (token < 0 || token >= layout_.token_count()) return;
  if (!at_top && !token_rect(token).isEmpty()) return;
  const LinePlace place = layout_.place_of_token(token);
  top_ = std::min(layout_.moved(place, at_top ? 0 : -visible_lines() / 3), last_top());
  update_scroll_bar();
  viewport()->update();
}

std::int64_t TokenView::token_at(QPoint position) {
  if (layout_.token_count() == 0 || position.y() < 0) return -1;
  const int row = (position.y() - margin / 2) / line_height();
  const LinePlace place = layout_.moved(top_, row);
  if (layout_.estimated_line_of(place) - layout_.estimated_line_of(top_) < row) return -1;  // below the end
  const double x = position.x() - gutter_width() - margin;
  for (const TokenPiece& piece : layout_.lines(place.block)[static_cast<std::size_t>(place.line)])
    if (x >= piece.x && x < piece.x + piece.width) return piece.token;
  return -1;
}

QRect TokenView::token_rect(std::int64_t token) {
  if (token < 0 || token >= layout_.token_count()) return {};
  const LinePlace place = layout_.place_of_token(token);
  const std::int64_t row = layout_.estimated_line_of(place) - layout_.estimated_line_of(top_);
  if (place < top_ || row >= visible_lines()) return {};
  for (const TokenPiece& piece : layout_.lines(place.block)[static_cast<std::size_t>(place.line)]) {
    if (piece.token != token) continue;
    const int x = gutter_width() + margin + static_cast<int>(piece.x);
    return {x, margin / 2 + static_cast<int>(row) * line_height(), std::max(1, static_cast<int>(piece.width)),
            line_height()};
  }
  return {};
}

/// Mean loss, or change of it, over the token's unit; NaN where none of its tokens has one. Tokens are painted in
/// order, so that the last unit is mostly the next one too.
double TokenView::unit_mean(std::int64_t token) {
  if (painted_mean_ && painted_unit_.contains(token)) return *painted_mean_;
  painted_unit_ = units_.around(token, unit_);
  double sum = 0;
  int count = 0;
  for (std::int64_t i = painted_unit_.first; i < painted_unit_.last; ++i) {
    const float value = colouring_ == Colouring::Loss ? run_.nll_of_token(i) : loss_change_(i);
    if (std::isnan(value)) continue;
    sum += static_cast<double>(value);
    ++count;
  }
  painted_mean_ = count > 0 ? sum / count : NAN;
  return *painted_mean_;
}

/// The strongest mark in the token's unit.
const TokenMark* TokenView::unit_mark(std::int64_t token) {
  const auto find = [this](std::int64_t at) {
    const auto mark = marks_.hits.find(at);
    return mark == marks_.hits.end() ? nullptr : &mark->second;
  };
  if (unit_ == TextUnit::Token) return find(token);
  const TokenMark* best = nullptr;
  const TokenRange unit = units_.around(token, unit_);
  for (std::int64_t i = unit.first; i < unit.last; ++i) {
    const TokenMark* mark = find(i);
    if (!mark) continue;
    if (!best || (marks_.one_head ? mark->kind < best->kind : mark->heads > best->heads)) best = mark;
  }
  return best;
}

std::optional<QColor> TokenView::background(std::int64_t token) {
  const Theme& theme = current_theme();
  if (colouring_ == Colouring::Loss) {
    const double loss = unit_mean(token);
    if (std::isnan(loss)) return std::nullopt;
    return blend(theme.surface, theme.anchor, std::min(1.0, loss / full_scale_nats) * 0.75);
  }
  if (colouring_ == Colouring::LossChange && loss_change_) {
    const double change = unit_mean(token);
    if (std::isnan(change)) return std::nullopt;
    const QColor colour = diverging_colour(change / full_change_nats, theme.kind == ThemeKind::Dark);
    return blend(theme.surface, colour, std::min(1.0, std::abs(change) / full_change_nats * 4) * 0.8);
  }
  if (colouring_ == Colouring::Source && source_) return source_(token);
  if (colouring_ == Colouring::Hits) {
    const TokenMark* mark = unit_mark(token);
    if (!mark) return std::nullopt;
    if (!marks_.one_head) {
      const double share = static_cast<double>(mark->heads) / marks_.most_heads;
      return blend(theme.surface, theme.anchor, 0.2 + 0.5 * share);
    }
    switch (mark->kind) {
      case HitKind::Anchor:
        return blend(theme.surface, theme.anchor, 0.6);
      case HitKind::Expanded:
        return blend(theme.surface, theme.expanded, 0.45);
      case HitKind::Padding:
        return blend(theme.surface, theme.padding, 0.25);
    }
  }
  return std::nullopt;
}

void TokenView::paint_gutter(QPainter& painter, const TokenLine& line, int y) {
  const Theme& theme = current_theme();
  const std::int64_t first = line.front().token;
  const bool selected = first < marks_.segment_end && line.back().token >= marks_.segment_begin;
  if (selected) painter.fillRect(QRect(gutter_width() - 4, y, 4, line_height()), theme.accent);
  const int segment = run_.segment_of_token(line.back().token);
  const bool starts = first == 0 || run_.segment_of_token(first - 1) != segment;
  painter.setPen(starts ? theme.accent : theme.muted);
  const QString label = starts ? tr("seg %1").arg(segment) : QString::number(first);
  painter.drawText(QRect(0, y, gutter_width() - margin - 2, line_height()), Qt::AlignRight | Qt::AlignVCenter, label);
}

/// Others are dimmed: not run yet, or outside of the range that views are filtered to.
bool TokenView::is_in_view(std::int64_t token) const {
  return token < run_.tokens_done() && token >= marks_.shown_begin && token < marks_.shown_end;
}

/// The line is drawn as one text, so that a colour changes neither its letters nor how they join: once for each colour,
/// where the tokens of that colour are.
void TokenView::paint_text(QPainter& painter, const TokenLine& line, int y) {
  const Theme& theme = current_theme();
  const int left = gutter_width() + margin;
  const double baseline = y + (line_height() + fontMetrics().ascent() - fontMetrics().descent()) / 2.0;
  QRegion dimmed;
  bool all = true;
  for (const TokenPiece& piece : line) {
    if (piece.line_break) {
      painter.setPen(theme.grid);
      painter.drawText(QPointF(left + piece.x, baseline), piece.text);
    } else if (is_in_view(piece.token)) {
      all = false;
    } else {
      const int begin = qRound(left + piece.x), end = qRound(left + piece.x + piece.width);
      dimmed += QRect(begin, y, end - begin, line_height());
    }
  }
  painter.setPen(all ? theme.muted : theme.text);
  if (all || dimmed.isEmpty()) return line.draw(painter, left, baseline);
  painter.save();
  painter.setClipRegion(QRegion(viewport()->rect()) - dimmed);
  line.draw(painter, left, baseline);
  painter.setClipRegion(dimmed);
  painter.setPen(theme.muted);
  line.draw(painter, left, baseline);
  painter.restore();
}

void TokenView::paint_line(QPainter& painter, const TokenLine& line, int y) {
  const Theme& theme = current_theme();
  const int left = gutter_width() + margin;
  const std::int64_t segment_length = run_.request().config.segment_length;
  for (const TokenPiece& piece : line) {
    const QRectF box(left + piece.x, y + 1, piece.width, line_height() - 2);
    if (const auto colour = background(piece.token)) painter.fillRect(box, *colour);
    if (range_.contains(piece.token)) painter.fillRect(box, blend(theme.surface, theme.accent, 0.35));
    if (piece.token >= marks_.carry_begin && piece.token < marks_.carry_end)
      painter.fillRect(QRectF(box.left(), box.bottom() - 2, box.width(), 2), theme.carry);
    if (piece.token > 0 && piece.token % segment_length == 0)
      painter.fillRect(QRectF(box.left() - 1, y, 2, line_height()), theme.accent);
  }
  paint_text(painter, line, y);
  for (const TokenPiece& piece : line) {
    const QRectF box(left + piece.x, y + 1, piece.width, line_height() - 2);
    if (piece.token == marks_.pinned) {
      painter.setPen(QPen(theme.accent, 1, Qt::DashLine));
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
    }
    if (piece.token == selected_ || piece.token == hovered_) {
      painter.setPen(QPen(theme.accent, piece.token == selected_ ? 2 : 1));
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
    }
  }
}

void TokenView::paintEvent(QPaintEvent* /*event*/) {
  const Theme& theme = current_theme();
  QPainter painter(viewport());
  painted_mean_.reset();
  painter.fillRect(viewport()->rect(), theme.surface);
  painter.fillRect(QRect(0, 0, gutter_width(), viewport()->height()), blend(theme.surface, theme.background, 0.7));
  if (layout_.token_count() == 0) {
    painter.setPen(theme.muted);
    painter.drawText(viewport()->rect(), Qt::AlignCenter, tr("Open a model and a text, then run."));
    return;
  }
  LinePlace place = top_;
  for (int y = margin / 2; y < viewport()->height(); y += line_height()) {
    const TokenLine& line = layout_.lines(place.block)[static_cast<std::size_t>(place.line)];
    if (!line.empty()) {
      paint_gutter(painter, line, y);
      paint_line(painter, line, y);
    }
    const LinePlace next = layout_.moved(place, 1);
    if (next == place) break;
    place = next;
  }
}

void TokenView::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  update_metrics();
  update_scroll_bar();
}

void TokenView::changeEvent(QEvent* event) {
  QAbstractScrollArea::changeEvent(event);
  if (event->type() != QEvent::FontChange && event->type() != QEvent::StyleChange) return;
  update_metrics();
  update_scroll_bar();
}

void TokenView::mousePressEvent(QMouseEvent* event) {
  const std::int64_t token = token_at(event->position().toPoint());
  if (event->button() != Qt::LeftButton || token < 0) return;
  if (event->modifiers() & Qt::ShiftModifier) {
    if (range_start_ < 0) range_start_ = selected_;
    return extend_range(token);
  }
  place_selection(token);
  Q_EMIT token_clicked(token);
}

void TokenView::mouseMoveEvent(QMouseEvent* event) {
  const std::int64_t token = token_at(event->position().toPoint());
  if ((event->buttons() & Qt::LeftButton) && token != range_start_) extend_range(token);
  Q_EMIT token_hovered(token);
}

void TokenView::keyPressEvent(QKeyEvent* event) {
  const std::int64_t last = layout_.token_count() - 1;
  const bool step = event->key() == Qt::Key_Left || event->key() == Qt::Key_Right;
  if (!step || last < 0) {
    QAbstractScrollArea::keyPressEvent(event);
    return;
  }
  const int by = event->key() == Qt::Key_Left ? -1 : 1;
  const std::int64_t start = selected_ < 0 ? marks_.segment_begin : selected_;
  if (event->modifiers() & Qt::ShiftModifier) {
    const bool fresh = range_.first == range_.last;
    if (fresh) range_start_ = start;
    const std::int64_t end = fresh ? range_start_ : range_start_ == range_.first ? range_.last - 1 : range_.first;
    return extend_range(std::clamp<std::int64_t>(end + by, 0, last));
  }
  set_marked_range({});
  set_selected_token(std::clamp<std::int64_t>(selected_ < 0 ? start : start + by, 0, last));
  Q_EMIT token_clicked(selected_);
}

// The menu is of what the pointer is on: a token that is not marked is taken first. By key, it is of what is selected.
void TokenView::contextMenuEvent(QContextMenuEvent* event) {
  if (event->reason() != QContextMenuEvent::Mouse) {
    const QRect box = token_rect(selected_);
    return Q_EMIT menu_wanted(box.isEmpty() ? event->globalPos() : viewport()->mapToGlobal(box.bottomLeft()));
  }
  const std::int64_t token = token_at(event->pos());
  if (token >= 0 && !range_.contains(token)) {
    place_selection(token);
    Q_EMIT token_taken(token);
  }
  Q_EMIT menu_wanted(event->globalPos());
}

bool TokenView::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::Leave) Q_EMIT token_hovered(-1);
  if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const std::int64_t token = token_at(help->pos());
  if (token >= 0 && tooltip_) {
    QToolTip::showText(help->globalPos(), tooltip_(token), viewport());
  } else {
    QToolTip::hideText();
  }
  return true;
}

}  // namespace carryover
