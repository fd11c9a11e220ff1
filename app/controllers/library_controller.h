// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QTimer>
#include <map>

#include "app/controllers/evaluation_controller.h"
#include "app/controllers/experiment_controller.h"
#include "app/controllers/prompts_controller.h"
#include "app/controllers/run_controller.h"
#include "app/controllers/train_controller.h"
#include "app/engine_thread/run_files.h"
#include "app/engine_thread/worker_thread.h"

namespace carryover {

/// Keeps LabContext::library() up to date with what is run, trained, changed and opened, and does what its view asks
/// for: an entry is opened, compared, resumed or removed in the way that its kind has. GUI thread; waits for a folder's
/// reading in its destructor. Lives shorter than the controllers it uses.
class LibraryController : public QObject {
  Q_OBJECT
 public:
  LibraryController(LabContext& context, RunController& runs, TrainController& training,
                    ExperimentController& experiments, EvaluationController& evaluations, PromptsController& prompts,
                    QObject* parent = nullptr);

  void open(const QString& place);
  void compare(const QString& a, const QString& b);  ///< b is pinned as B
  void resume(const QString& place);                 ///< resumes an entry that can be resumed
  /// Takes entries off the list until they are taken back or forgotten; this is a command of the undo stack. Folders
  /// stay where they are in any case.
  void remove(const QStringList& places);
  void take_back();  ///< puts back what was removed last: undoes it if it was the last command, else by a new one
  void measure(const QString& place);  ///< updates its size on disk, later

 Q_SIGNALS:
  void panel_wanted(const QString& id);  ///< the panel that shows the opened entry
  void failed(const carryover::ErrorReport& report);

 private:
  void connect_runs();
  void connect_trainings();
  void connect_what_ifs();
  void connect_questions();
  void list_questions();
  void connect_folders();
  void list_prompts();
  void connect_files();
  void put(ListedRun run);
  void update_later();
  void update_now();
  void list_what_ifs();
  int row_of_run(const ListedRun& what_if) const;
  void open_what_if(const ListedRun& what_if);
  void select_what_if(int index);
  void continue_run(const QString& place);
  void link_what_ifs();
  void tell_of_limit();
  void look_at_files();
  bool refuse_when_busy(const QString& name);
  bool in_progress(const ListedRun& run) const;
  class Removal;
  void take_off(const QString& place);
  void put_back(const QString& place);

  LabContext& context_;
  RunLibrary& library_;
  RunController& runs_;
  TrainController& training_;
  ExperimentController& experiments_;
  EvaluationController& evaluations_;
  PromptsController& prompts_;
  QTimer update_timer_;
  std::map<QString, RemovedWhatIf> removed_what_ifs_;
  std::map<QString, Question> removed_questions_;
  QString continued_;        ///< the place of a run that continues once it is on show
  QString opened_what_if_;   ///< the place of one whose run is being opened
  bool over_limit_ = false;  ///< and it has been said
  WorkerThread<RunFiles> files_{QStringLiteral("run files")};
};

}  // namespace carryover
