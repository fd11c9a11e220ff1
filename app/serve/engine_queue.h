// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>

#include "app/serve/serving_engine.h"

namespace carryover {

/// The engine's thread, which opens it, answers one request at a time in the order they came, and closes it.
class EngineQueue {
 public:
  using Open = std::function<std::unique_ptr<ServingEngine>()>;
  using Work = std::function<void(ServingEngine&, RunControl&)>;  ///< throws nothing
  using Ticket = std::shared_ptr<RunControl>;

  /// Waits until the engine is open. Throws what `open` throws. `most_waiting`: requests beside the one that runs.
  EngineQueue(const Open& open, std::size_t most_waiting);
  ~EngineQueue() { finish(); }
  EngineQueue(const EngineQueue&) = delete;
  EngineQueue& operator=(const EngineQueue&) = delete;

  /// Null where as many are waiting as may. Any thread.
  Ticket post(Work work);
  /// Nobody wants the answer: it is stopped where it runs, and dropped where it waits. Any thread.
  void cancel(const Ticket& ticket);
  /// Stops the one that runs. Those that wait are called with a control that says stop, and nothing more is taken. Any
  /// thread.
  void stop();
  /// stop(), and waits for the engine's thread. The thread that made the queue.
  void finish();
  std::size_t waiting() const;  ///< any thread
  bool idle() const;            ///< nothing runs, and nothing waits; any thread

 private:
  struct Job {
    Ticket ticket;
    Work work;
  };
  void work_through(const Open& open, std::promise<void>& opened);
  bool next(Job& job);

  const std::size_t most_waiting_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  Ticket running_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace carryover
