// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QPointer>
#include <QWidget>

namespace carryover {

/// Keeps the wheel from changing values by accident. Over a combo box, a number, a date, a slider, a dial or tabs, the
/// wheel scrolls what these are in. It changes the control only after a click or a key on it, while it has the focus.
/// GUI thread.
class WheelGuard : public QObject {
 public:
  /// Takes care of the widget, if it holds a value that a wheel changes.
  void guard(QWidget& widget);
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QPointer<QObject> meant_;  ///< the control that was clicked or typed in last
};

}  // namespace carryover
