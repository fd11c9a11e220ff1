// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <atomic>
#include <condition_variable>
#include <mutex>

namespace carryover {

/// Stops and pauses one run. Any thread may ask; the engine thread calls checkpoint() at every layer of every segment,
/// so that a request takes effect within the time of a layer.
class RunControl {
 public:
  void request_stop();
  void pause();
  void resume();
  bool stop_requested() const { return stop_.load(std::memory_order_relaxed); }
  bool paused() const { return paused_.load(std::memory_order_relaxed); }

  /// Waits while paused. Throws EngineError{Cancelled} once a stop was requested.
  void checkpoint();
  /// Returns how long checkpoint() has waited so far, so that a pause does not count as work. Only the engine thread
  /// may call it.
  double paused_seconds() const { return paused_seconds_; }

 private:
  std::atomic<bool> stop_{false}, paused_{false};
  double paused_seconds_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace carryover
