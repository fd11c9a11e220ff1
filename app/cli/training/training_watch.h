// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/cli/training/room_wait.h"
#include "engine/base/error.h"
#include "engine/base/run_control.h"
#include "engine/training/records/train_request.h"
#include "engine/training/records/training_plan.h"

namespace carryover {

class ProgressLine;

/// Shows each step of a training, and keeps the last one. Nobody can resume a paused run from the command line: an
/// alert that would pause asks the engine to save and stop. On a full disk training waits (RoomWait).
class TrainingWatch : public TrainObserver {
 public:
  /// All three arguments must outlive it.
  TrainingWatch(const TrainingPlan& plan, ProgressLine& progress, RunControl& control,
                std::chrono::seconds room_wait = kRoomWait)
      : plan_(plan), progress_(progress), control_(control), room_(room_wait) {}

  void step_done(std::shared_ptr<const StepSnapshot> snapshot) override;
  void progress(std::int64_t done, std::int64_t total) override;
  void validation_done(const ValidationRecord& record) override;
  void checkpoint_saved(std::int64_t step, const std::string& directory) override;
  void noted(const std::string& text) override;
  void preparing(double fraction, const std::string& what) override;
  void alerted(const TrainingAlert& alert) override;

  const std::optional<StepRecord>& last() const { return last_; }
  bool ended_by_alert() const { return ended_; }
  const std::string& alert() const { return alert_; }  ///< the last one's text
  /// Throws EngineError{Io} where a training has stopped because the disk was full.
  void ended(const TrainingSummary& summary);

 private:
  using Clock = std::chrono::steady_clock;
  void wait_for_room(const TrainingAlert& alert);

  const TrainingPlan& plan_;
  ProgressLine& progress_;
  RunControl& control_;
  RoomWait room_;
  Clock::time_point start_ = Clock::now();
  std::int64_t steps_here_ = 0;
  std::optional<StepRecord> last_;
  std::string shown_, alert_;
  bool ended_ = false, gave_up_ = false;  ///< gave_up_: to wait for room
};

/// The plan's texts, tokenised, with progress. Throws as read_corpus().
std::shared_ptr<const Corpus> read_training_data(const TrainingPlan& plan, ProgressLine& progress, RunControl& control);

}  // namespace carryover
