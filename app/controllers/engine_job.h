// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <memory>
#include <utility>

#include "app/controllers/run_controller.h"
#include "app/engine_thread/engine_call.h"

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
  /// `cancelled`: the log's text after a cancellation.
  EngineJob(LabContext& context, RunController& runs, const QString& cancelled);

  /// Takes the engine, and does `work(EngineCall&)` on the engine thread. Then the engine is free again, and
  /// `done(result)` is called on this thread with what the work has returned. `busy`: the reason why nothing else can
  /// start meanwhile.
  template <typename Work, typename Done>
  void start_work(const QString& busy, Work work, Done done) {
    begin(busy);
    calls_.start(
        control_, std::move(work),
        [this, done = std::move(done)](const auto&... result) {
          release();
          done(result...);
        },
        [this](const ErrorReport& report) { end(report); });
  }

  LabContext& context_;
  RunController& runs_;
  EngineCalls calls_;

 private:
  void begin(const QString& busy);
  void release();
  void end(const ErrorReport& report);

  QString cancelled_;
  std::shared_ptr<RunControl> control_;
};

}  // namespace carryover
