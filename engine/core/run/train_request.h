// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "engine/core/run/training_values.h"

namespace carryover {

struct TrainingPlan;
struct Corpus;

struct TrainRequest {
  std::shared_ptr<const TrainingPlan> plan;
  std::shared_ptr<const Corpus> corpus;
  bool resume = false;   ///< from the newest whole checkpoint of plan.output_dir
  bool dry_run = false;  ///< one step on the first samples, measured; nothing is written and the weights stay
};

/// Called on the engine thread; must return quickly and never wait for another thread. alerted() alone may take its
/// time where training waits for room on the disk.
class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  virtual void step_done(std::shared_ptr<const StepSnapshot> snapshot) = 0;
  virtual void validation_done(const ValidationRecord& /*record*/) {}
  virtual void checkpoint_saved(std::int64_t /*step*/, const std::string& /*directory*/) {}
  virtual void alerted(const TrainingAlert& /*alert*/) {}
  virtual void noted(const std::string& /*text*/) {}                           ///< for the log; asks for nothing
  virtual void preparing(double /*fraction*/, const std::string& /*what*/) {}  ///< before the first step
  /// Inside a step: tokens done of the step's.
  virtual void progress(std::int64_t /*tokens_done*/, std::int64_t /*tokens_total*/) {}
  /// Whether step_done should carry the last sample's segments; asked once per step.
  virtual bool wants_segments() const { return false; }
};

}  // namespace carryover
