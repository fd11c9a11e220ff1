// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <functional>
#include <memory>

#include "app/serve/serving_engine.h"
#include "app/serve/work_thread.h"

namespace carryover {

/// The engine's thread, which opens it, answers one request at a time in the order they came, and closes it.
class EngineQueue {
 public:
  using Open = std::function<std::unique_ptr<ServingEngine>()>;
  using Work = std::function<void(ServingEngine&, RunControl&)>;  ///< throws nothing
  using Ticket = WorkThread::Ticket;

  /// Waits until the engine is open. Throws what `open` throws. `most_waiting`: requests beside the one that runs.
  EngineQueue(const Open& open, std::size_t most_waiting)
      : thread_(
            most_waiting, [this, &open] { engine_ = open(); }, [this] { engine_.reset(); }) {}

  /// These are WorkThread's functions.
  Ticket post(Work work) {
    return thread_.post([this, work = std::move(work)](RunControl& control) { work(*engine_, control); });
  }
  void cancel(const Ticket& ticket) { thread_.cancel(ticket); }
  void stop() { thread_.stop(); }
  void finish() { thread_.finish(); }
  std::size_t waiting() const { return thread_.waiting(); }
  bool idle() const { return thread_.idle(); }

 private:
  std::unique_ptr<ServingEngine> engine_;  ///< used by the thread alone, which ends before it
  WorkThread thread_;
};

}  // namespace carryover
