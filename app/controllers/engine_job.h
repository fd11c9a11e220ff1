// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <memory>

#include "app/controllers/run_controller.h"

namespace carryover {

/// A job that has the engine for itself while it runs: runs are refused then. GUI thread; never waits. Must not outlive
/// its RunController.
class EngineJob : public QObject {
  Q_OBJECT
 public:
  ~EngineJob() override { cancel(); }
  bool active() const { return control_ != nullptr; }
  void cancel();

 Q_SIGNALS:
  void started();
  void progressed(double share, const QString& what);
  void ended();  ///< cancelled or failed
  void failed(const carryover::ErrorReport& report);

 protected:
  EngineJob(LabContext& context, RunController& runs) : context_(context), runs_(runs) {}
  /// Moves a job's own worker to the engine thread, which ends with it. `cancelled`: the log's text after a
  /// cancellation.
  template <typename Worker>
  Worker* with(Worker* worker, const QString& cancelled) {
    QThread* engine = runs_.engine().worker().thread();
    worker->moveToThread(engine);
    connect(engine, &QThread::finished, worker, &QObject::deleteLater);
    connect(worker, &Worker::progressed, this, &EngineJob::progressed);
    connect(worker, &Worker::cancelled, this, [this, cancelled] {
      release();
      context_.add_note(cancelled);
      Q_EMIT ended();
    });
    connect(worker, &Worker::failed, this, [this](const ErrorReport& report) {
      release();
      Q_EMIT ended();
      Q_EMIT failed(report);
    });
    return worker;
  }
  std::shared_ptr<RunControl> begin(const QString& busy);  ///< `busy`: the reason why nothing else can start meanwhile
  void release();

  LabContext& context_;
  RunController& runs_;

 private:
  std::shared_ptr<RunControl> control_;
};

}  // namespace carryover
