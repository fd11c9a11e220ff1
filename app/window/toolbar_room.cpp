// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/toolbar_room.h"

#include <QAction>
#include <QEvent>
#include <QLayout>
#include <QToolBar>
#include <algorithm>
#include <utility>

namespace carryover {

ToolbarRoom::ToolbarRoom(QToolBar& bar) : bar_(bar) {
  bar.installEventFilter(this);
}

void ToolbarRoom::add(std::function<void(bool)> give) {
  givers_.push_back(std::move(give));
}

/// Returns the width as Qt counts it: an item without a fixed width is a button, a separator, or empty room.
int ToolbarRoom::needed_width() const {
  const QLayout& layout = *bar_.layout();
  int width = layout.contentsMargins().left() + layout.contentsMargins().right(), shown = 0;
  for (QAction* action : bar_.actions()) {
    const QWidget* widget = bar_.widgetForAction(action);
    if (widget == nullptr || !action->isVisible()) continue;
    width += std::max(0, widget->minimumWidth() > 0 ? widget->minimumWidth() : widget->sizeHint().width());
    width += shown++ > 0 ? layout.spacing() : 0;
  }
  return width;
}

void ToolbarRoom::fit() {
  const std::size_t before = given_;
  while (given_ > 0) givers_[--given_](false);
  while (given_ < givers_.size() && needed_width() > bar_.width()) givers_[given_++](true);
  if (given_ != before) bar_.layout()->invalidate();  // widgets behind the » tell it of no change
}

bool ToolbarRoom::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) fit();
  return QObject::eventFilter(watched, event);
}

}  // namespace carryover
