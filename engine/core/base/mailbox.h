// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace carryover {

/// From the engine thread to the GUI thread without either waiting for the other: scalars append and are all delivered,
/// heavy maps are latest-wins. `notify` is called once per batch (when the box turns from empty to filled), on the
/// posting thread; it must only queue a wake-up.
template <typename Scalar, typename Heavy>
class Mailbox {
 public:
  explicit Mailbox(std::function<void()> notify) : notify_(std::move(notify)) {}

  /// Posting thread. `heavy` may be null.
  void post(Scalar scalar, std::shared_ptr<const Heavy> heavy) {
    bool wake = false;
    {
      std::lock_guard lock(mutex_);
      wake = scalars_.empty();
      scalars_.push_back(std::move(scalar));
      if (heavy) heavy_ = std::move(heavy);
    }
    if (wake) notify_();
  }

  struct Batch {
    std::vector<Scalar> scalars;
    std::shared_ptr<const Heavy> heavy;
  };

  /// Receiving thread: everything since the last call.
  Batch drain() {
    std::lock_guard lock(mutex_);
    return {std::exchange(scalars_, {}), std::exchange(heavy_, nullptr)};
  }

 private:
  std::function<void()> notify_;
  std::mutex mutex_;
  std::vector<Scalar> scalars_;
  std::shared_ptr<const Heavy> heavy_;
};

}  // namespace carryover
