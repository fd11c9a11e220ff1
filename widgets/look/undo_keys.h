// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <functional>

class QWidget;

namespace carryover {

/// Ctrl+Z and Ctrl+Shift+Z in a form, whichever field has the keyboard. A text field first takes back what was typed in
/// it, as text fields do. It is the form's child. GUI thread.
class UndoKeys : public QObject {
 public:
  /// What the keys do; asked whether they can before, and where they can't, the keys are the window's.
  struct Steps {
    std::function<bool(bool redo)> can;
    std::function<void(bool redo)> take;
  };
  UndoKeys(QWidget& form, Steps steps);
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget& form_;
  Steps steps_;
};

}  // namespace carryover
