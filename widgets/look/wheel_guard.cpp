// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/wheel_guard.h"

#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QFocusEvent>
#include <QScrollBar>
#include <QTabBar>

namespace carryover {
namespace {

bool holds_value(const QWidget& widget) {
  if (qobject_cast<const QScrollBar*>(&widget) != nullptr) return false;
  return qobject_cast<const QComboBox*>(&widget) != nullptr ||
         qobject_cast<const QAbstractSpinBox*>(&widget) != nullptr ||
         qobject_cast<const QAbstractSlider*>(&widget) != nullptr || qobject_cast<const QTabBar*>(&widget) != nullptr;
}

/// A dialog gives the focus to its first field by itself, with the reason of the Tab key.
bool is_by_hand(const QFocusEvent& event) {
  return event.reason() == Qt::MouseFocusReason || event.reason() == Qt::ShortcutFocusReason;
}

}  // namespace

void WheelGuard::guard(QWidget& widget) {
  if (!holds_value(widget)) return;
  if (widget.focusPolicy() == Qt::WheelFocus) widget.setFocusPolicy(Qt::StrongFocus);
  widget.installEventFilter(this);
}

bool WheelGuard::eventFilter(QObject* watched, QEvent* event) {
  switch (event->type()) {
    case QEvent::MouseButtonPress:
    case QEvent::KeyPress:
      meant_ = watched;
      return false;
    case QEvent::FocusIn:
      if (is_by_hand(*static_cast<QFocusEvent*>(event))) meant_ = watched;
      return false;
    case QEvent::FocusOut:
      meant_.clear();
      return false;
    case QEvent::Wheel:
      if (meant_ == watched && static_cast<QWidget*>(watched)->hasFocus()) return false;
      event->ignore();  // so that Qt offers it to the parents
      return true;
    default:
      return false;
  }
}

}  // namespace carryover
