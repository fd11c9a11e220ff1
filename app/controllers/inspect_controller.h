// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QTimer>
#include <memory>

#include "app/controllers/run_controller.h"
#include "app/engine_thread/inspect_worker.h"

namespace carryover {

/// Serves LabContext::inspections() one query at a time, the newest wish first. Runs, loads and all else that needs the
/// engine go before: an inspection under way is cancelled for them and done again afterwards, and one that no view
/// waits for any more is cancelled too. GUI thread; never waits. Lives shorter than its RunController.
class InspectController : public QObject {
  Q_OBJECT
 public:
  InspectController(LabContext& context, RunController& runs, QObject* parent = nullptr);
  ~InspectController() override;

  bool active() const { return control_ != nullptr; }
  InspectWorker& worker() { return *worker_; }  ///< for queued calls and connections only

 private:
  void serve();

  LabContext& context_;
  RunController& runs_;
  InspectWorker* worker_;
  std::shared_ptr<RunControl> control_;
  InspectionQuery query_;       ///< under way while control_ is there
  int run_ = 0, asked_in_ = 0;  ///< counts runs: an answer about an earlier one is dropped
  QTimer settle_;               ///< waits until the selection rests: an inspection runs a segment
};

}  // namespace carryover
