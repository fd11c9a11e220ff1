// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panel.h"

#include <QShowEvent>
#include <utility>

namespace carryover {

// Starts out pending: the first show draws what is there.
Panel::Panel(LabContext& context, const QString& title, QWidget* parent)
    : QWidget(parent), context_(context), title_(title), pending_(true) {
  setAccessibleName(title);
}

void Panel::request_refresh() {
  if (pending_) return;
  pending_ = true;
  if (isVisible()) queue_refresh();
}

void Panel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (pending_) queue_refresh();
}

void Panel::queue_refresh() {
  QMetaObject::invokeMethod(
      this,
      [this] {
        if (isVisible()) catch_up();
      },
      Qt::QueuedConnection);
}

void Panel::catch_up() {
  if (!std::exchange(pending_, false)) return;
  refresh();
}

}  // namespace carryover
