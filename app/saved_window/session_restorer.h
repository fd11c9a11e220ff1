// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <memory>

#include "app/saved_window/engine_consent.h"
#include "app/saved_window/session_state.h"
#include "app/saved_window/session_writer.h"
#include "app/window/main_window.h"

namespace carryover {

/// Brings a window to a SessionState, step by step as the engine loads: engine (where that may be started), model,
/// text, runs, settings, selection, what-ifs, dialog, document. What can't be had any more is said and left out. One
/// use. GUI thread.
class SessionRestorer : public QObject {
  Q_OBJECT
 public:
  SessionRestorer(MainWindow& window, const SessionState& state, AskEngine ask_engine, QObject* parent = nullptr);
  void start();                                                    ///< the engine must be free
  void go_on_with(const std::shared_ptr<const KeptFiles>& files);  ///< the answer to files_wanted()

 Q_SIGNALS:
  void files_wanted(const std::string& open_weights);  ///< of the state, by SessionWriter::read()
  void done();

 private:
  RunOptions opening_options() const;
  void choose_engine();
  void start_loading();
  void compare_weights();
  void say(const QString& problem, const QString& advice);
  void go_on();
  void forget_other_runs();
  void show(const KeptRun& kept);
  void show_run(const KeptRun& kept);
  void show_pinned(const std::optional<KeptRun>& kept);
  void apply_config();
  bool fits(const SegmentEdit& edit) const;
  void select();
  void show_what_ifs(const std::vector<KeptWhatIf>& kept, bool run_shown);
  void open_dialog();
  void open_document();

  MainWindow& window_;
  Lab& lab_;
  SessionState state_;
  AskEngine ask_engine_;
  bool loading_ = false;
};

}  // namespace carryover
