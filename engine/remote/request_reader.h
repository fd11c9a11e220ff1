// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/base/error.h"
#include "engine/base/run_control.h"
#include "engine/remote/frame_sender.h"
#include "engine/remote/protocol.h"

namespace carryover {

/// A request with the controls that steer it while it is served.
struct RemoteJob {
  Frame request;
  RunControl control;
  std::atomic<bool> enough{false};          ///< no more tokens are wanted
  std::atomic<bool> wants_segments{false};  ///< of the next training step
};

/// Reads the window's frames on a thread of its own. Requests wait for next(); wishes reach the last request at once,
/// also while it is served. If the other end goes away, the current work is asked to stop.
class RequestReader {
 public:
  /// Reads `descriptor`, which is made non-blocking and stays the caller's.
  RequestReader(int descriptor, FrameSender& sender);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  /// Waits for the next request. Returns null after the last one.
  std::shared_ptr<RemoteJob> next();
  /// Returns the error of bytes that were no frame, after next() has returned null.
  const std::optional<EngineError>& problem() const { return problem_; }

 private:
  void work();
  void read_frames();
  void take(Frame frame);
  void tell_own_pause();

  int descriptor_;
  FrameSender& sender_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<RemoteJob>> waiting_;
  std::shared_ptr<RemoteJob> last_;  ///< receives the wishes
  bool pause_known_ = false;         ///< true if the window knows that `last_` is paused
  bool ended_ = false;
  std::optional<EngineError> problem_;
  std::atomic<bool> closing_{false};
  std::thread thread_;
};

}  // namespace carryover
