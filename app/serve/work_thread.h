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

#include "engine/base/run_control.h"

namespace carryover {

/// A thread that does pieces of work one after another, in the order in which they came.
class WorkThread {
 public:
  using Work = std::function<void(RunControl&)>;  ///< it throws nothing
  using Ticket = std::shared_ptr<RunControl>;

  /// The thread calls `begin` before all work and `end` behind it. Waits for `begin`, and throws what that throws.
  /// `most_waiting` counts the pieces beside the one that is being done.
  explicit WorkThread(std::size_t most_waiting, const std::function<void()>& begin = {},
                      std::function<void()> end = {});
  ~WorkThread() { finish(); }
  WorkThread(const WorkThread&) = delete;
  WorkThread& operator=(const WorkThread&) = delete;

  /// Returns null if as many are waiting as may. Any thread.
  Ticket post(Work work);
  /// Stops it if it runs, and drops it if it waits. Any thread.
  void cancel(const Ticket& ticket);
  /// Stops the one that runs, calls those that wait with a control that says stop, and takes nothing more. Any thread.
  void stop();
  /// Calls stop() and waits for the thread. The thread that made this.
  void finish();
  std::size_t waiting() const;  ///< any thread
  bool idle() const;            ///< nothing runs, and nothing waits; any thread

 private:
  struct Job {
    Ticket ticket;
    Work work;
  };
  void work_through(const std::function<void()>& begin, std::promise<void>& begun);
  bool next(Job& job);

  const std::size_t most_waiting_;
  const std::function<void()> end_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  Ticket running_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace carryover
