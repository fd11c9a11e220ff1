// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <memory>

#include "app/engine_thread/engine_worker.h"
#include "app/engine_thread/throttle.h"

namespace carryover {

/// The engine's side of head discovery: scores the heads of the open model. Lives on the engine thread beside the
/// EngineWorker; answers by signals with plain values. Errors end here, as ErrorReport.
class HeadProfileWorker : public QObject {
  Q_OBJECT
 public:
  explicit HeadProfileWorker(EngineWorker& engine) : engine_(engine) {}
  /// `request`'s progress is the worker's.
  void profile(const HeadProfileRequest& request, const std::shared_ptr<RunControl>& control);

 Q_SIGNALS:
  void progressed(double share, const QString& what);  ///< at most 30 times a second
  void profiled(const carryover::HeadProfile& profile, const QString& weights);
  void cancelled();
  void failed(const carryover::ErrorReport& report);

 private:
  EngineWorker& engine_;  ///< on the same thread
  Throttle progress_;
};

}  // namespace carryover
