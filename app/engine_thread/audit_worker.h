// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <memory>

#include "app/engine_thread/engine_worker.h"
#include "app/engine_thread/throttle.h"
#include "engine/base/run_control.h"
#include "engine/runs/values/model_info.h"
#include "engine/training/records/audit_report.h"

namespace carryover {

/// An audit with the model that it loads for itself: the open one stays as it is.
struct AuditJob {
  ModelRequest model;
  AuditRequest request;  ///< its `progress` is the worker's
};

/// The engine's side of an audit. Lives on the engine thread, so that runs and trainings wait for it; answers by
/// signals with plain values. Errors end here, as ErrorReport.
class AuditWorker : public QObject {
  Q_OBJECT
 public:
  explicit AuditWorker(EngineWorker& engine) : engine_(engine) {}
  void audit(const AuditJob& job, const std::shared_ptr<RunControl>& control);

 Q_SIGNALS:
  void progressed(double share, const QString& what);  ///< at most 30 times a second
  void audited(const carryover::AuditReport& report, const QString& weights_hash);
  void cancelled();
  void failed(const carryover::ErrorReport& report);

 private:
  void report_progress(double share, const std::string& what);
  EngineWorker& engine_;  ///< on the same thread
  Throttle progress_;
};

}  // namespace carryover
