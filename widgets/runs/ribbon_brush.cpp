// SPDX-License-Identifier: GPL-3.0-or-later
// The part of RibbonStrip that the mouse drives: selecting, brushing a range that views are filtered to, pinning.
#include <QAction>
#include <QContextMenuEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <utility>

#include "widgets/look/theme.h"
#include "widgets/runs/context_ribbon.h"

namespace carryover {

/// Dims the segments outside the range that views are filtered to, or would be filtered to by the drag under way.
void RibbonStrip::paint_range(QPainter& painter) const {
  const SegmentRange range = brushing_.is_set() ? brushing_ : context_.range();
  if (!range.is_set()) return;
  const QRect first = cell_rect(range.first), last = cell_rect(range.last);
  QColor veil = current_theme().background;
  veil.setAlphaF(0.7F);
  const QRect whole(0, 0, viewport()->width(), first.bottom() + 1);
  painter.fillRect(whole.intersected(QRect(QPoint(0, 0), QPoint(first.left() - 2, whole.bottom()))), veil);
  painter.fillRect(whole.intersected(QRect(QPoint(last.right() + 2, 0), whole.bottomRight())), veil);
  painter.fillRect(QRect(QPoint(first.left(), first.bottom() + 1), QPoint(last.right(), first.bottom() + 3)),
                   current_theme().accent);
}

void RibbonStrip::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  pressed_ = segment_at(event->position().toPoint());
  if (pressed_ >= 0) context_.select_segment(pressed_);
}

void RibbonStrip::mouseMoveEvent(QMouseEvent* event) {
  const int segment = segment_at(event->position().toPoint());
  if (event->buttons() & Qt::LeftButton && pressed_ >= 0) {
    if (segment >= 0 && (segment != pressed_ || brushing_.is_set()))
      brushing_ = {std::min(pressed_, segment), std::max(pressed_, segment)};
    viewport()->update();
  }
  Selection hovered;
  hovered.segment = segment;
  context_.hover(hovered);
}

void RibbonStrip::mouseReleaseEvent(QMouseEvent* /*event*/) {
  const SegmentRange brushed = std::exchange(brushing_, {});
  pressed_ = -1;
  if (brushed.is_set()) context_.brush(brushed);
}

/// By key: the range grows or shrinks at the selected end.
void RibbonStrip::extend_range(int step) {
  const int from = context_.selected().segment, to = std::clamp(from + step, 0, segments() - 1);
  if (from < 0) return;
  const SegmentRange& range = context_.range();
  const int other = !range.is_set() ? from : range.first == from ? range.last : range.first;
  context_.select_segment(to);
  context_.brush({std::min(other, to), std::max(other, to)});
}

void RibbonStrip::toggle_pin(int segment) {
  Selection pinned = context_.pinned();
  pinned.segment = pinned.segment == segment ? -1 : segment;
  context_.pin(pinned);
}

void RibbonStrip::contextMenuEvent(QContextMenuEvent* event) {
  const int segment = segment_at(event->pos());
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  if (segment >= 0) {
    const bool pinned = segment == context_.pinned().segment;
    connect(
        menu->addAction(pinned ? tr("Unpin segment %1").arg(segment) : tr("Pin segment %1 as reference").arg(segment)),
        &QAction::triggered, this, [this, segment] { toggle_pin(segment); });
    connect(menu->addAction(tr("Filter to segment %1").arg(segment)), &QAction::triggered, this, [this, segment] {
      context_.brush({segment, segment});
    });
  }
  QAction* all = menu->addAction(tr("Show all segments"));
  all->setEnabled(context_.range().is_set());
  connect(all, &QAction::triggered, this, [this] { context_.brush({}); });
  menu->popup(event->globalPos());
}

}  // namespace carryover
