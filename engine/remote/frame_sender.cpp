// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/remote/frame_sender.h"

#include <chrono>

#include "engine/remote/pipe_io.h"

namespace carryover {
namespace {

constexpr std::size_t kMostWaiting = std::size_t{64} << 20;
constexpr std::chrono::milliseconds kLookAgain{100};  ///< interval of checks that the connection works

}  // namespace

FrameSender::FrameSender(int descriptor) : descriptor_(descriptor) {
  set_non_blocking(descriptor);
  waiting_.push_back(greeting());
  thread_ = std::thread([this] { work(); });
}

FrameSender::~FrameSender() {
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void FrameSender::send(MessageKind kind, std::string body) {
  std::string head = frame_head(kind, body.size());
  std::unique_lock lock(mutex_);
  while (waiting_bytes_ > kMostWaiting && !broken_) changed_.wait_for(lock, kLookAgain);
  if (broken_) return;
  waiting_bytes_ += head.size() + body.size();
  waiting_.push_back(std::move(head));
  if (!body.empty()) waiting_.push_back(std::move(body));
  changed_.notify_all();
}

void FrameSender::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::deque<std::string> taken;
    taken.swap(waiting_);
    waiting_bytes_ = 0;
    changed_.notify_all();
    lock.unlock();
    for (const std::string& bytes : taken)
      if (!broken_ && !write_all(descriptor_, bytes, [this] { return broken_.load(); })) broken_ = true;
    lock.lock();
  }
}

}  // namespace carryover
