// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/run_control.h"

#include <chrono>

#include "engine/base/error.h"

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
    const auto start = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stop_requested() || !paused(); });
    paused_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  if (stop_requested()) throw EngineError(Fault::Cancelled, "", "stopped on request");
}

}  // namespace carryover
