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

#include "engine/core/base/run_control.h"

namespace carryover {

/// A thread that does one piece of work after another, in the order they came.
class WorkThread {
 public:
  using Work = std::function<void(RunControl&)>;  ///< throws nothing
  using Ticket = std::shared_ptr<RunControl>;

  /// `begin` and `end` are called on the thread, before and behind all work. Waits for `begin`, and throws what that
  /// throws. `most_waiting`: pieces beside the one that is being done.
  explicit WorkThread(std::size_t most_waiting, const std::function<void()>& begin = {},
                      std::function<void()> end = {});
  ~WorkThread() { finish(); }
  WorkThread(const WorkThread&) = delete;
  WorkThread& operator=(const WorkThread&) = delete;

  /// Null where as many are waiting as may. Any thread.
  Ticket post(Work work);
  /// Nobody wants the answer: it is stopped where it runs, and dropped where it waits. Any thread.
  void cancel(const Ticket& ticket);
  /// Stops the one that runs. Those that wait are called with a control that says stop, and nothing more is taken. Any
  /// thread.
  void stop();
  /// stop(), and waits for the thread. The thread that made this.
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
