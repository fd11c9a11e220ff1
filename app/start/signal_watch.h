// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QSocketNotifier>

namespace carryover {

/// SIGINT, SIGTERM and SIGHUP as a signal of Qt's, from the event loop. The second signal ends the process as if nobody
/// watched. What was ignored when the program began (nohup) stays ignored. One at a time in a process. Thread: GUI.
class SignalWatch : public QObject {
  Q_OBJECT

 public:
  explicit SignalWatch(QObject* parent = nullptr);
  ~SignalWatch() override;

 Q_SIGNALS:
  void ended(int number);  ///< the signal's

 private:
  void read_number();
  int pipe_[2] = {-1, -1};
  QSocketNotifier notifier_;
};

}  // namespace carryover
