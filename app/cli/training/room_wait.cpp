// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/training/room_wait.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>

#include "engine/base/duration_text.h"
#include "engine/base/run_control.h"
#include "engine/base/terminal_text.h"

namespace carryover {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kLook = 100ms;  ///< at the signals and the stop
constexpr std::chrono::seconds kLongestPause = 10s;

std::atomic<bool> continued{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

/// While it lives, SIGCONT is noted. The system delivers it to any thread, so that only a handler hears it.
class ContinueWatch {
 public:
  ContinueWatch() {
    continued = false;
    struct sigaction noted = {};
    noted.sa_handler = [](int) { continued = true; };
    sigemptyset(&noted.sa_mask);
    noted.sa_flags = SA_RESTART;
    ::sigaction(SIGCONT, &noted, &before_);
  }
  ~ContinueWatch() { ::sigaction(SIGCONT, &before_, nullptr); }
  ContinueWatch(const ContinueWatch&) = delete;
  ContinueWatch& operator=(const ContinueWatch&) = delete;

 private:
  struct sigaction before_ = {};
};

bool has_terminal() {
  return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
}

/// Waits up to `time` for Enter and says whether it came. A job in the background must not read: the system would
/// suspend it.
bool enter_pressed(std::chrono::milliseconds time) {
  const bool asks = has_terminal() && ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
  pollfd keys{asks ? STDIN_FILENO : -1, POLLIN, 0};
  if (::poll(&keys, 1, static_cast<int>(time.count())) <= 0 || (keys.revents & POLLIN) == 0) return false;
  char line[256];
  return ::read(STDIN_FILENO, line, sizeof line) > 0;
}

}  // namespace

void RoomWait::say(const std::string& problem) const {
  const std::string seconds = std::to_string(kLongestPause.count());
  const std::string how = has_terminal()
                              ? "It tries again every " + seconds + " s, and when you press Enter. Ctrl-C stops it."
                              : "It tries again every " + seconds + " s and on SIGCONT, for " +
                                    human_duration(static_cast<double>(most_.count())) + ".";
  print_error_line(problem + " Free some space on it. " + how);
}

bool RoomWait::until_next_try(const std::string& problem, const RunControl& control) {
  const Clock::time_point now = Clock::now();
  if (!has_terminal() && most_ <= Clock::duration::zero()) return false;
  if (!since_) {
    since_ = now;
    pause_ = 1s;
    say(problem);
  }
  if (!has_terminal() && now - *since_ >= most_) return false;
  const ContinueWatch watch;
  for (const Clock::time_point end = now + pause_; Clock::now() < end && !control.stop_requested();)
    if (enter_pressed(kLook) || continued) break;
  pause_ = std::min<Clock::duration>(2 * pause_, kLongestPause);
  return !control.stop_requested();
}

void RoomWait::found_room() {
  if (since_) print_error_line("The disk has room again.");
  since_.reset();
}

}  // namespace carryover
