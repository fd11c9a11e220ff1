// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "engine/remote/protocol.h"

namespace carryover {

/// Sends frames from a thread of its own, so that the engine computes while a slow line carries what it has done. Any
/// thread may send; order is kept. A sender that is more than 64 MB behind makes the next one wait.
class FrameSender {
 public:
  /// Says the greeting first. `descriptor` is made non-blocking and stays the caller's.
  explicit FrameSender(int descriptor);
  /// Everything that was sent is out, or nobody reads it any more.
  ~FrameSender();
  FrameSender(const FrameSender&) = delete;
  FrameSender& operator=(const FrameSender&) = delete;

  /// Throws EngineError{Unsupported} for a body that is too long to be sent.
  void send(MessageKind kind, std::string body = {});
  /// Nobody is there to read: what waits is dropped, and so is what comes.
  void give_up() { broken_ = true; }
  bool broken() const { return broken_; }

 private:
  void work();

  int descriptor_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> waiting_;
  std::size_t waiting_bytes_ = 0;
  bool closing_ = false;
  std::atomic<bool> broken_{false};
  std::thread thread_;
};

}  // namespace carryover
