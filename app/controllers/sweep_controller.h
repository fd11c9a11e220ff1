// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/controllers/engine_job.h"
#include "widgets/what_if/sweep_panel.h"

namespace carryover {

/// Runs sweeps on the engine thread, and tells of their cells as they are done.
class SweepController : public EngineJob {
  Q_OBJECT
 public:
  SweepController(LabContext& context, RunController& runs);
  void start(const SweepPlan& plan);

 Q_SIGNALS:
  void began(const carryover::SweepPlan& plan);
  void base_known(const carryover::SweepBase& base);
  void cells_done(const std::vector<carryover::SweepCell>& cells);

 private:
  int run_ = 0, started_in_ = 0;  ///< counts resets of the run: cells of an earlier one are dropped
};

}  // namespace carryover
