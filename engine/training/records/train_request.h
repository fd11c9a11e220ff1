// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "engine/training/records/training_values.h"

namespace carryover {

struct TrainingPlan;
struct Corpus;

struct TrainRequest {
  std::shared_ptr<const TrainingPlan> plan;
  std::shared_ptr<const Corpus> corpus;
  bool resume = false;   ///< continue from the newest whole checkpoint of plan.output_dir
  bool dry_run = false;  ///< run one step on the first samples and measure it; nothing is written and the weights stay
};

/// Called on the engine thread; must return quickly and never wait for another thread. Only alerted() may take its time
/// if training waits for room on the disk.
class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  virtual void step_done(std::shared_ptr<const StepSnapshot> snapshot) = 0;
  virtual void validation_done(const ValidationRecord& /*record*/) {}
  virtual void checkpoint_saved(std::int64_t /*step*/, const std::string& /*directory*/) {}
  virtual void alerted(const TrainingAlert& /*alert*/) {}
  virtual void noted(const std::string& /*text*/) {}                           ///< for the log; needs no reaction
  virtual void preparing(double /*fraction*/, const std::string& /*what*/) {}  ///< before the first step
  /// Called inside a step: how many tokens of the step are done.
  virtual void progress(std::int64_t /*tokens_done*/, std::int64_t /*tokens_total*/) {}
  /// Returns true if step_done should carry the last sample's segments; asked once per step.
  virtual bool wants_segments() const { return false; }
};

}  // namespace carryover
