// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <memory>

#include "app/desk/session_state.h"
#include "app/main_window.h"
#include "engine/io/run_journal.h"

namespace carryover {

/// Brings a window to a SessionState, step by step as the engine loads: model, text, settings, run, selection, dialog.
/// What can't be had any more is said and left out. One use. GUI thread.
class SessionRestorer : public QObject {
  Q_OBJECT
 public:
  SessionRestorer(MainWindow& window, const SessionState& state, QObject* parent = nullptr);
  void start();                                                   ///< the engine must be free
  void show_run(const std::shared_ptr<const JournaledRun>& run);  ///< the answer to run_wanted(); null: unreadable

 Q_SIGNALS:
  void run_wanted(const QString& path);
  void done(bool run_shown);

 private:
  void start_loading();
  void go_on();
  void apply_config();
  void finish(bool run_shown);

  MainWindow& window_;
  SessionState state_;
  bool loading_ = false;
};

}  // namespace carryover
