// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <atomic>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace carryover {

/// Carries messages from the engine thread to the GUI thread without either waiting for the other: every message
/// arrives, in order. `wake` is called on the posting thread, once until the next drain(); it must only queue a call of
/// drain().
template <typename Message>
class Mailbox {
 public:
  explicit Mailbox(std::function<void()> wake) : wake_(std::move(wake)) {}

  /// Posts a message. Posting thread.
  void post(Message message) {
    {
      const std::lock_guard lock(mutex_);
      messages_.push_back(std::move(message));
    }
    wake_once();
  }
  /// Wakes the receiver for news that are stored elsewhere. Posting thread.
  void wake_once() {
    if (!wake_queued_.exchange(true)) wake_();
  }

  /// Returns everything that was posted since the last call. Receiving thread.
  std::vector<Message> drain() {
    wake_queued_.store(false);  // before the messages are taken: the next one wakes again
    const std::lock_guard lock(mutex_);
    return std::exchange(messages_, {});
  }

 private:
  std::function<void()> wake_;
  std::atomic<bool> wake_queued_{false};
  std::mutex mutex_;
  std::vector<Message> messages_;
};

}  // namespace carryover
