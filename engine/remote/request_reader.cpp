// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/remote/request_reader.h"

#include <poll.h>

#include "engine/remote/pipe_io.h"
#include "engine/remote/wire.h"

namespace carryover {
namespace {

constexpr std::size_t kMostRequests = 64;  ///< requests; a window has one under way
constexpr int kTickMs = 50;                ///< between two looks at what needs no input

}  // namespace

RequestReader::RequestReader(int descriptor, FrameSender& sender) : descriptor_(descriptor), sender_(sender) {
  set_non_blocking(descriptor);
  thread_ = std::thread([this] { work(); });
}

RequestReader::~RequestReader() {
  closing_ = true;
  thread_.join();
}

std::shared_ptr<RemoteJob> RequestReader::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ended_ || !waiting_.empty(); });
  if (waiting_.empty()) return nullptr;
  auto job = std::move(waiting_.front());
  waiting_.pop_front();
  return job;
}

void RequestReader::work() {
  std::optional<EngineError> problem;
  try {
    read_frames();
  } catch (const EngineError& error) {
    problem = error;
  }
  std::lock_guard lock(mutex_);
  problem_ = problem;
  waiting_.clear();
  if (last_) last_->control.request_stop();
  ended_ = true;
  changed_.notify_all();
}

void RequestReader::read_frames() {
  FrameBuffer frames;
  bool greeted = false;
  while (!closing_ && !sender_.broken()) {
    pollfd input{descriptor_, POLLIN, 0};
    ::poll(&input, 1, kTickMs);
    std::string bytes;
    const ReadResult result = read_some(descriptor_, bytes);
    frames.feed(bytes);
    greeted = greeted || frames.take_greeting(/*noise=*/0);
    while (greeted) {
      auto frame = frames.next();
      if (!frame) break;
      take(std::move(*frame));
    }
    tell_own_pause();
    if (result != ReadResult::End) continue;
    if (!frames.empty()) refuse_message("the input ended in the middle of a message");
    return;
  }
}

void RequestReader::take(Frame frame) {
  using enum MessageKind;
  if (frame.kind >= Place) refuse_message("received a message that only an engine sends");
  if (frame.kind == Ping) return sender_.send(Pong);
  std::lock_guard lock(mutex_);
  if (frame.kind < Stop) {
    if (waiting_.size() >= kMostRequests) refuse_message("received too many requests at once");
    last_ = std::make_shared<RemoteJob>();
    last_->request = std::move(frame);
    pause_known_ = false;
    waiting_.push_back(last_);
    changed_.notify_all();
    return;
  }
  if (!last_) return;
  if (frame.kind == Stop) last_->control.request_stop();
  if (frame.kind == Enough) last_->enough = true;
  if (frame.kind == WantSegments) last_->wants_segments = true;
  if (frame.kind == Pause) {
    pause_known_ = true;
    last_->control.pause();
  }
  if (frame.kind == Resume) {
    pause_known_ = false;
    last_->control.resume();
  }
}

/// An alert of the trainer pauses, and so does a test's latch.
void RequestReader::tell_own_pause() {
  std::lock_guard lock(mutex_);
  if (!last_ || pause_known_ || !last_->control.paused()) return;
  pause_known_ = true;
  sender_.send(MessageKind::Paused);
}

}  // namespace carryover
