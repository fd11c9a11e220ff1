// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QTimer>
#include <memory>

#include "app/controllers/run_controller.h"
#include "app/controllers/training_follower.h"
#include "app/engine_thread/worker_thread.h"

namespace carryover {

/// The measurements of a dry run.
struct DryRun {
  StepRecord step;
  std::int64_t peak_memory_bytes = 0;
};

/// The GUI's side of training: turns wishes into jobs of the EngineWorker that runs share, and its answers into
/// TrainingModels, at most 30 times a second with the last one guaranteed; follows folders that other processes write.
/// While a training has the engine, the RunController refuses runs. GUI thread; waits for nothing but the reading of a
/// folder, in its destructor. Must not outlive its RunController.
class TrainController : public QObject {
  Q_OBJECT
 public:
  TrainController(LabContext& context, RunController& runs, QObject* parent = nullptr);
  ~TrainController() override;

  bool active() const { return channel_ != nullptr; }
  TrainingModel* training() const;  ///< the one that has the engine; null where none has, or in a dry run

  void start(const TrainingPlan& plan);
  void dry_run(const TrainingPlan& plan);
  void resume_run(const QString& directory);   ///< go on with a run of the list from its newest checkpoint
  void open_folder(const QString& directory);  ///< a finished run, or one that another process writes
  void pause();
  void resume();
  void stop();  ///< with a checkpoint

 Q_SIGNALS:
  void state_changed();
  void dry_run_done(const carryover::DryRun& result);
  void dry_run_failed(const carryover::ErrorReport& report);
  void failed(const carryover::ErrorReport& report);
  /// The training is paused with its steps in memory: resume() tries to write again, stop() gives up.
  void room_missing(const carryover::ErrorReport& report);
  void room_found();  ///< or given up

 private:
  bool refuse_when_busy();
  void take_alert(const TrainingAlert& alert);
  void forget_missing_room();
  bool refuse_used(const QString& directory);
  void connect_worker();
  void connect_follower();
  void follow(const QString& directory, bool on);
  void launch(const TrainJob& job, const QString& why);
  void wake();
  void drain();
  void take(std::vector<TrainChannel::News> news);
  void update_state();
  void finish(const TrainingSummary& summary);
  void fail(const ErrorReport& report);
  void release();
  void take_folder_news(const QString& directory, const FolderNews& news);
  void show_step();

  LabContext& context_;
  RunController& runs_;
  std::shared_ptr<TrainChannel> channel_;
  QPointer<TrainingModel> training_;
  bool dry_ = false, stopping_ = false, stepped_ = false;
  StepRecord dry_step_;
  QTimer drain_timer_;
  QElapsedTimer since_drain_;
  WorkerThread<TrainingFollower> follower_{QStringLiteral("folders")};
};

}  // namespace carryover
