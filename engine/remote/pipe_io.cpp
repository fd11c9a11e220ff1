// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/remote/pipe_io.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "engine/base/error.h"

namespace carryover {
namespace {

/// Holds SIGPIPE back in this thread alone, and takes the one that a write caused: the process's own ways with signals
/// stay as they are.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    const timespec at_once{};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t pipe_{}, before_{};
  bool was_pending_ = false;
};

}  // namespace

void set_non_blocking(int descriptor) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  CARRYOVER_CHECK(flags >= 0 && ::fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0);
}

bool write_all(int descriptor, std::string_view bytes, const std::function<bool()>& give_up) {
  const NoPipeSignal quiet;
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (written < 0 && errno == EAGAIN) {
      pollfd room{descriptor, POLLOUT, 0};
      if (::poll(&room, 1, kPipeTickMs) <= 0 && give_up()) return false;
    } else if (written < 0 && errno != EINTR) {
      return false;
    }
  }
  return true;
}

ReadResult read_some(int descriptor, std::string& bytes) {
  constexpr std::size_t most = std::size_t{1} << 20;
  constexpr std::size_t piece = std::size_t{64} << 10;  // a pipe's size
  const std::size_t before = bytes.size();
  while (bytes.size() - before < most) {
    const std::size_t end = bytes.size();
    bytes.resize(end + piece);
    const ssize_t got = ::read(descriptor, bytes.data() + end, piece);
    bytes.resize(end + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got > 0 || (got < 0 && errno == EINTR)) continue;
    if (bytes.size() > before) return ReadResult::Some;  // the end is found again at the next call
    return got < 0 && errno == EAGAIN ? ReadResult::Nothing : ReadResult::End;
  }
  return ReadResult::Some;
}

}  // namespace carryover
