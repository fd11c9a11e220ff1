// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/mailbox.h"
#include "engine/base/run_control.h"
#include "engine/training/records/train_request.h"

namespace carryover {

struct SavedCheckpoint {
  std::int64_t step = 0;
  std::string directory;
};

/// The channel between the engine thread, which reports a training through it, and the GUI thread, which steers and
/// drains it. Neither waits for the other. `wake` is called on the engine thread, at most once until the next drain();
/// `prepared` is called there too, with each report of the work before the first step. Both must only queue. Segments
/// are copied out for one step between two drains, since more could not be looked at.
class TrainChannel : public TrainObserver {
 public:
  using News = std::variant<std::shared_ptr<const StepSnapshot>, ValidationRecord, TrainingAlert, SavedCheckpoint>;

  using Prepared = std::function<void(double fraction, const std::string& what)>;

  explicit TrainChannel(std::function<void()> wake, Prepared prepared = {})
      : box_(std::move(wake)), prepared_(std::move(prepared)) {}

  RunControl& control() { return control_; }

  void step_done(std::shared_ptr<const StepSnapshot> snapshot) override { box_.post(std::move(snapshot)); }
  void validation_done(const ValidationRecord& record) override { box_.post(record); }
  void alerted(const TrainingAlert& alert) override { box_.post(alert); }
  void checkpoint_saved(std::int64_t step, const std::string& directory) override {
    box_.post(SavedCheckpoint{step, directory});
  }
  void progress(std::int64_t tokens_done, std::int64_t tokens_total) override {
    share_done_.store(tokens_total > 0 ? static_cast<double>(tokens_done) / static_cast<double>(tokens_total) : 0,
                      std::memory_order_relaxed);
    box_.wake_once();
  }
  void preparing(double fraction, const std::string& what) override {
    if (prepared_) prepared_(fraction, what);
  }
  bool wants_segments() const override { return wants_segments_.exchange(false); }

  /// GUI thread.
  std::vector<News> drain() {
    wants_segments_.store(true);
    return box_.drain();
  }
  double share_done() const { return share_done_.load(std::memory_order_relaxed); }  ///< of the step under way

 private:
  RunControl control_;
  Mailbox<News> box_;
  Prepared prepared_;
  std::atomic<double> share_done_{0};
  mutable std::atomic<bool> wants_segments_{true};
};

}  // namespace carryover
