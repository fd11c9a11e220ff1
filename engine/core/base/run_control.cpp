// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/base/run_control.h"

#include "engine/core/base/error.h"

namespace carryover {

void RunControl::request_stop() {
  {
    std::lock_guard lock(mutex_);
    stop_.store(true, std::memory_order_relaxed);
  }
  changed_.notify_all();
}

void RunControl::pause() {
  std::lock_guard lock(mutex_);
  paused_.store(true, std::memory_order_relaxed);
}

void RunControl::resume() {
  {
    std::lock_guard lock(mutex_);
    paused_.store(false, std::memory_order_relaxed);
  }
  changed_.notify_all();
}

void RunControl::checkpoint() {
  if (paused()) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stop_requested() || !paused(); });
  }
  if (stop_requested()) throw EngineError(Fault::Cancelled, "", "stopped on request");
}

}  // namespace carryover
