// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/panel_scroll.h"

#include <QEvent>
#include <QLayout>
#include <QScrollBar>
#include <algorithm>

namespace carryover {
namespace {

/// The least that `panel` can be shown in at this width, without cutting lines of wrapped text.
int needed_height(const QWidget& panel, int width) {
  const QLayout* layout = panel.layout();
  const int least = panel.minimumSizeHint().height();
  return layout != nullptr && layout->hasHeightForWidth() ? std::max(least, layout->minimumHeightForWidth(width))
                                                          : least;
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

// Not by setWidgetResizable(): that gives a panel with wrapped text the height that it would like, not what it needs.
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
