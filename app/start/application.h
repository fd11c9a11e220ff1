// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QApplication>
#include <QSet>
#include <functional>

#include "app/engine_thread/error_report.h"

namespace carryover {

/// A QApplication that no exception leaves: what an event handler throws, on any thread, ends that handler alone and is
/// told on the GUI thread in the next turn of its event loop. GUI thread but for notify().
class Application : public QApplication {
  Q_OBJECT
 public:
  using Reporter = std::function<void(const ErrorReport& report)>;

  Application(int& argc, char** argv) : QApplication(argc, argv) {}
  /// Sets the reporter. Without one, and where it throws itself, errors go to standard error.
  void set_reporter(Reporter reporter) { reporter_ = std::move(reporter); }
  bool notify(QObject* receiver, QEvent* event) override;

 private:
  void tell(const ErrorReport& report, bool painting);

  Reporter reporter_;
  QSet<QString> told_of_painting_;
};

}  // namespace carryover
