// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <memory>
#include <string>

#include "app/engine_thread/engine_worker.h"
#include "widgets/runs/state/run_model.h"

namespace carryover {

/// The result of a what-if once all edits are done: the unedited segment, and where the replay began.
struct WhatIfEnd {
  std::shared_ptr<const WhatIfBase> base;
  double seconds = 0;
};

/// Returns the run's record of a segment, which a replay is compared with. For a segment that can't be read, it has
/// only the weights' hash.
RecordedSegment recorded_segment(const RunModel& run, int segment);

/// The engine's side of inspections and what-ifs: runs one segment of a run again, to look into it or to change
/// something. Requests carry the run's record, and other weights are refused. Lives on the engine thread beside the
/// EngineWorker, whose model it uses; answers by signals with plain values. Errors end here, as ErrorReport.
class InspectWorker : public QObject {
  Q_OBJECT
 public:
  explicit InspectWorker(EngineWorker& engine) : engine_(engine) {}

  void inspect(const InspectRequest& request, const std::shared_ptr<RunControl>& control);
  void what_if(const WhatIfRequest& request, const std::shared_ptr<RunControl>& control);
  void price(const WhatIfRequest& request, int tag);

 Q_SIGNALS:
  void inspected(std::shared_ptr<const carryover::Inspection> inspection);
  void inspect_failed(const carryover::ErrorReport& report);  ///< Fault::Cancelled too
  void edit_done(int edit, std::shared_ptr<const carryover::WhatIfOutcome> outcome);
  void what_if_done(const carryover::WhatIfEnd& end);
  void what_if_failed(const carryover::ErrorReport& report);  ///< Fault::Cancelled too
  void priced(int tag, qint64 segments);
  void price_failed(int tag, const carryover::ErrorReport& report);

 private:
  Session& session(const std::optional<RecordedSegment>& record) const;

  EngineWorker& engine_;
};

}  // namespace carryover
