// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/focus_frame.h"

#include <QApplication>
#include <QDockWidget>
#include <QFocusEvent>
#include <QPainter>
#include <QRegion>

#include "widgets/look/theme.h"

namespace carryover {
namespace {

constexpr int thickness = 2;

}  // namespace

FocusFrame::FocusFrame(QWidget& window) : QWidget(&window), window_(window) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  hide();
  qApp->installEventFilter(this);
}

bool FocusFrame::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::FocusIn) {
    if (auto* widget = qobject_cast<QWidget*>(watched))
      follow(widget, static_cast<const QFocusEvent*>(event)->reason());
  } else if (event->type() == QEvent::Resize && watched == parentWidget() && !isHidden()) {
    surround(parentWidget());
  }
  return QWidget::eventFilter(watched, event);
}

/// Null outside of the window's docks.
QWidget* FocusFrame::panel_of(QWidget* widget) const {
  for (; widget != nullptr; widget = widget->parentWidget())
    if (const auto* dock = qobject_cast<const QDockWidget*>(widget))
      return dock->parentWidget() == &window_ ? dock->widget() : nullptr;
  return nullptr;
}

void FocusFrame::follow(QWidget* focused, Qt::FocusReason reason) {
  QWidget* const panel = panel_of(focused);
  const bool by_key =
      reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason || reason == Qt::ShortcutFocusReason;
  if (panel != nullptr && by_key) return surround(panel);
  if (panel == nullptr || panel != parentWidget() || reason == Qt::MouseFocusReason) hide();
}

void FocusFrame::surround(QWidget* panel) {
  setParent(panel);
  setGeometry(panel->rect());
  setMask(QRegion(rect()) - QRegion(rect().adjusted(thickness, thickness, -thickness, -thickness)));
  show();
  raise();
}

void FocusFrame::paintEvent(QPaintEvent* /*event*/) {
  QPainter(this).fillRect(rect(), current_theme().accent);
}

}  // namespace carryover
