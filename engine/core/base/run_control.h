// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <atomic>
#include <condition_variable>
#include <mutex>

namespace carryover {

/// Stop and pause of one run. Any thread may ask; the engine thread calls checkpoint() at every layer of every segment,
/// so that a request is heard within a layer's time.
class RunControl {
 public:
  void request_stop();
  void pause();
  void resume();
  bool stop_requested() const { return stop_.load(std::memory_order_relaxed); }
  bool paused() const { return paused_.load(std::memory_order_relaxed); }

  /// Waits while paused. Throws EngineError{Cancelled} once a stop was requested.
  void checkpoint();
  /// How long checkpoint() has waited so far, so that a pause counts as no work. The engine thread alone may ask.
  double paused_seconds() const { return paused_seconds_; }

 private:
  std::atomic<bool> stop_{false}, paused_{false};
  double paused_seconds_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace carryover
