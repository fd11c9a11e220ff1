// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <memory>
#include <string>

#include "app/engine_worker.h"

namespace carryover {

/// One segment of a run again: to look into it, or to change something. `weights_hash` is that of the run's model,
/// which must still be the open one.
struct InspectJob {
  std::string weights_hash;
  InspectRequest request;
};
struct WhatIfJob {
  std::string weights_hash;
  WhatIfRequest request;
};

/// What the segment was, and where the replay began, once all edits are done.
struct WhatIfEnd {
  std::shared_ptr<const WhatIfBase> base;
  double seconds = 0;
};

/// The engine's side of inspections and what-ifs. Lives on the engine thread beside the EngineWorker, whose model it
/// uses; answers by signals with plain values. Errors end here, as ErrorReport.
class InspectWorker : public QObject {
  Q_OBJECT
 public:
  explicit InspectWorker(EngineWorker& engine) : engine_(engine) {}

  void inspect(const InspectJob& job, const std::shared_ptr<RunControl>& control);
  void what_if(const WhatIfJob& job, const std::shared_ptr<RunControl>& control);
  void price(const WhatIfJob& job, int tag);

 Q_SIGNALS:
  void inspected(std::shared_ptr<const carryover::Inspection> inspection);
  void inspect_failed(const carryover::ErrorReport& report);  ///< Fault::Cancelled too
  void edit_done(int edit, std::shared_ptr<const carryover::WhatIfOutcome> outcome);
  void what_if_done(const carryover::WhatIfEnd& end);
  void what_if_failed(const carryover::ErrorReport& report);  ///< Fault::Cancelled too
  void priced(int tag, qint64 segments);
  void price_failed(int tag, const carryover::ErrorReport& report);

 private:
  Session& session(const std::string& weights_hash) const;

  EngineWorker& engine_;
};

}  // namespace carryover
