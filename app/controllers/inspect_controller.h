// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QTimer>
#include <memory>

#include "app/controllers/run_controller.h"
#include "app/engine_thread/engine_call.h"

namespace carryover {

/// Returns the run's record of a segment, which a replay is compared with. For a segment that can't be read, or
/// that the run, which may be pinned before its end, does not have yet, it has only the weights' hash and the dtype.
RecordedSegment recorded_segment(const RunModel& run, int segment);

/// Serves LabContext::inspections() one query at a time, the newest wish first. Runs, loads and all else that needs the
/// engine go before: an inspection under way is cancelled for them and done again afterwards, and one that no view
/// waits for any more is cancelled too. GUI thread; never waits. Lives shorter than its RunController.
class InspectController : public QObject {
  Q_OBJECT
 public:
  InspectController(LabContext& context, RunController& runs, QObject* parent = nullptr);
  ~InspectController() override;

  bool active() const { return control_ != nullptr; }

 private:
  void serve();
  void deliver(const std::shared_ptr<const Inspection>& inspection);
  void fail(const ErrorReport& report);

  LabContext& context_;
  RunController& runs_;
  EngineCalls calls_;
  std::shared_ptr<RunControl> control_;
  InspectionQuery query_;       ///< under way while control_ is there
  int run_ = 0, asked_in_ = 0;  ///< counts runs: an answer about an earlier one is dropped
  QTimer settle_;               ///< waits until the selection rests: an inspection runs a segment
};

}  // namespace carryover
