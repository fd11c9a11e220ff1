// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "engine/base/mailbox.h"
#include "engine/base/run_control.h"
#include "engine/runs/values/run_request.h"
#include "engine/runs/values/segment_source.h"

namespace carryover {

/// The channel between the engine thread, which reports a run through it, and the GUI thread, which steers and drains
/// it. Neither waits for the other. `wake` is called on the engine thread, at most once until the next drain(); it must
/// only queue.
class RunChannel : public RunObserver {
 public:
  explicit RunChannel(std::function<void()> wake) : box_(std::move(wake)) {}

  RunControl& control() { return control_; }

  /// Sets the source of the segments that are spilled. Call it before the first one is reported.
  void spill_to(std::shared_ptr<const SegmentSource> source) {
    const std::lock_guard lock(mutex_);
    source_ = std::move(source);
  }

  void segment_done(std::shared_ptr<const SegmentSnapshot> snapshot) override { box_.post(std::move(snapshot)); }
  void progress(std::int64_t tokens_done, std::int64_t /*tokens_total*/) override {
    tokens_done_.store(tokens_done, std::memory_order_relaxed);
    box_.wake_once();
  }

  /// GUI thread.
  std::vector<std::shared_ptr<const SegmentSnapshot>> drain() { return box_.drain(); }
  /// Returns the source once, as soon as a segment has been drained; null before and after. GUI thread.
  std::shared_ptr<const SegmentSource> take_source() {
    const std::lock_guard lock(mutex_);
    return std::exchange(source_, nullptr);
  }
  std::int64_t tokens_done() const { return tokens_done_.load(std::memory_order_relaxed); }

 private:
  RunControl control_;
  std::mutex mutex_;
  std::shared_ptr<const SegmentSource> source_;
  Mailbox<std::shared_ptr<const SegmentSnapshot>> box_;
  std::atomic<std::int64_t> tokens_done_{0};
};

}  // namespace carryover
