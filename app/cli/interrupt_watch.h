// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <thread>

namespace carryover {

class RunControl;

/// While it lives, the first Ctrl-C, SIGTERM or SIGHUP asks the run to stop, and one that comes more than half a second
/// later ends the process at once.
/// Construct it before other threads start: it blocks the signals in this thread and all that this one starts, and
/// waits for them in its own, where taking a lock is allowed. Throws EngineError{Internal} where the system refuses.
class InterruptWatch {
 public:
  explicit InterruptWatch(RunControl& control);
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

 private:
  void watch(RunControl& control) const;

  int signals_ = -1, quit_ = -1;
  std::thread thread_;
};

}  // namespace carryover
