// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/panel_scroll.h"

#include <QBoxLayout>
#include <QEvent>
#include <QScrollBar>
#include <QStackedLayout>
#include <algorithm>

namespace carryover {
namespace {

int least_height(QLayout& layout, int width);

int least_height(QLayoutItem& item, int width) {
  if (QLayout* layout = item.layout()) return least_height(*layout, width);
  QWidget* widget = item.widget();
  if (widget == nullptr || item.isEmpty()) return item.minimumSize().height();
  if (widget->minimumHeight() > 0) return widget->minimumHeight();  // was set, and has the say
  if (QLayout* inside = widget->layout()) return least_height(*inside, width);
  return item.hasHeightForWidth() ? item.heightForWidth(width) : item.minimumSize().height();
}

/// The least height that cuts no line of wrapped text at this width. QLayout::minimumHeightForWidth() says what widgets
/// with a layout of their own would like, which is more.
int least_height(QLayout& layout, int width) {
  const auto* box = qobject_cast<QBoxLayout*>(&layout);
  const bool stacked = qobject_cast<QStackedLayout*>(&layout) != nullptr;
  if (box == nullptr && !stacked)
    return layout.hasHeightForWidth() ? layout.minimumHeightForWidth(width) : layout.minimumSize().height();
  const QMargins margins = layout.contentsMargins();
  const bool beside =
      stacked || box->direction() == QBoxLayout::LeftToRight || box->direction() == QBoxLayout::RightToLeft;
  const int inside = width - margins.left() - margins.right();
  int height = 0;
  for (int i = 0, shown = 0; i < layout.count(); ++i) {
    QLayoutItem& item = *layout.itemAt(i);
    if (item.isEmpty() && !stacked) continue;
    const int own = beside && !stacked ? std::min(inside, std::max(1, item.geometry().width())) : inside;
    const int least = least_height(item, own);
    height = beside ? std::max(height, least) : height + least + (shown++ > 0 ? box->spacing() : 0);
  }
  return height + margins.top() + margins.bottom();
}

int needed_height(const QWidget& panel, int width) {
  QLayout* layout = panel.layout();
  return std::max(panel.minimumSizeHint().height(), layout == nullptr ? 0 : least_height(*layout, width));
}

}  // namespace

PanelScroll::PanelScroll(QWidget* panel, QSize enough) : enough_(enough) {
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::NoFocus);
  setWidget(panel);
}

QSize PanelScroll::minimumSizeHint() const {
  return widget()->minimumSizeHint().boundedTo(enough_);
}

// Does not use setWidgetResizable(), which gives a panel with wrapped text the height that it would like, not the
// height that it needs.
void PanelScroll::fit() {
  const QSize room = maximumViewportSize();
  int width = room.width(), height = needed_height(*widget(), width);
  if (height > room.height()) {
    width -= verticalScrollBar()->sizeHint().width();
    height = needed_height(*widget(), width);
  }
  widget()->resize(std::max(width, widget()->minimumSizeHint().width()), std::max(height, room.height()));
}

void PanelScroll::resizeEvent(QResizeEvent* event) {
  fit();
  QScrollArea::resizeEvent(event);
}

bool PanelScroll::eventFilter(QObject* watched, QEvent* event) {
  if (watched == widget() && event->type() == QEvent::LayoutRequest) {
    updateGeometry();
    fit();
  }
  return QScrollArea::eventFilter(watched, event);
}

}  // namespace carryover
