// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFrame>
#include <functional>

#include "app/engine_thread/engine_worker.h"

class QLabel;
class QToolButton;

namespace carryover {

/// The last error under the toolbar: what, where, and on demand what to do. Blocks nothing; goes when closed or when
/// the next thing works. GUI thread.
class MessageBar : public QFrame {
  Q_OBJECT
 public:
  explicit MessageBar(QWidget* parent = nullptr);
  void show_error(const ErrorReport& report);
  /// A button beside the error shown, which goes with it.
  void offer(const QString& text, const std::function<void()>& action);
  QString text() const;

 private:
  QLabel *headline_, *details_;
  QToolButton *offer_, *more_;
  std::function<void()> action_;
};

}  // namespace carryover
