// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFrame>
#include <QTimer>
#include <functional>
#include <vector>

#include "app/engine_thread/engine_worker.h"

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace carryover {

/// A line under the toolbar: the last error (what, where, and on demand what to do), which stays until it is closed or
/// the next thing works; or for a while where something was written; else a notice, which stays until it is closed or
/// withdrawn. Blocks nothing. GUI thread.
class MessageBar : public QFrame {
  Q_OBJECT
 public:
  explicit MessageBar(QWidget* parent = nullptr);
  void show_error(const ErrorReport& report);
  /// One more button beside the error shown, which goes with it.
  void offer(const QString& text, const std::function<void()>& action);
  void settle();  ///< the next thing works: an error goes
  /// A notice with a button, in place of an earlier one of that name.
  void put_notice(const QString& name, const QString& headline, const QString& details, const QString& button,
                  const std::function<void()>& action);
  void withdraw_notice(const QString& name);
  void show_written(const QString& path);  ///< with a button that opens its folder; an error that is shown stays
  QString text() const;

 private:
  struct Notice {
    QString name, headline, details, button;
    std::function<void()> action;
  };

  void show_in(const QColor& tint, const QString& name);
  void show_notice();
  void close();
  void take_back_offers();

  std::vector<Notice> notices_;  ///< the last one is shown where nothing else is
  bool shows_notice_ = false;
  QLabel *headline_, *details_;
  QHBoxLayout* offers_;
  QToolButton* more_;
  QTimer vanish_;  ///< runs while something written is shown
};

}  // namespace carryover
