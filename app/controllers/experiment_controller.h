// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>

#include "app/controllers/experiment_follower.h"
#include "app/controllers/folder_controller.h"
#include "app/controllers/run_controller.h"
#include "app/controllers/train_controller.h"
#include "app/engine_thread/worker_thread.h"
#include "engine/campaigns/experiments/experiment_command.h"
#include "widgets/campaigns/state/experiment_model.h"

namespace carryover {

/// The GUI's side of experiments; it opens their cells as the runs and trainings that they are. GUI thread; waits for
/// nothing but a folder's reading and the process, in its destructor. Lives shorter than its RunController.
class ExperimentController : public FolderController {
  Q_OBJECT
 public:
  ExperimentController(LabContext& context, RunController& runs, TrainController& training, QObject* parent = nullptr);

  ExperimentModel& model() { return model_; }

  /// Runs it, and opens its folder. Nothing while another one runs.
  void start(const ExperimentRequest& request);
  /// Runs what is left of the open one: at once where this window ran it; else by continue_wanted() with the command
  /// that its folder records, or by request_wanted() where that is missing or names files that are gone.
  void go_on();
  void open_cell(const QString& id);
  void pin_cell(const QString& id);                               ///< as B; the run on show stays where it is kept
  void compare_cells(const QString& first, const QString& with);  ///< `with` as B

 Q_SIGNALS:
  void request_wanted(const carryover::ExperimentRequest& request);   ///< to be completed by a hand
  void continue_wanted(const carryover::ExperimentRequest& request);  ///< to be shown, and started if that is wanted

 private:
  /// -1, and says why, where it can't be opened.
  int openable(const QString& id, bool evaluation);

  LabContext& context_;
  RunController& runs_;
  TrainController& training_;
  ExperimentModel model_;
  std::optional<ExperimentRequest> request_;  ///< the last one that this window ran
  WorkerThread<ExperimentFollower> follower_{QStringLiteral("experiment")};
};

}  // namespace carryover
