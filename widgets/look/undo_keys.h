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
  /// The actions of the keys. `can` is asked before `take`; if it returns false, the window handles the keys.
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
