// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <chrono>
#include <optional>
#include <string>

namespace carryover {

class RunControl;

/// The time that the command line waits for room on a full disk if no terminal is there.
inline constexpr std::chrono::seconds kRoomWait{600};

/// The pauses between tries to write to a full disk: a second, then longer ones, ten seconds at most. Enter in a
/// terminal and SIGCONT end a pause. With a terminal there is no end but Ctrl-C; without one it gives up after a time.
/// One thread.
class RoomWait {
 public:
  explicit RoomWait(std::chrono::seconds most) : most_(most) {}

  /// Says once what is wrong and how it goes on, whatever is quiet; then waits for the next try. False: it gives up, or
  /// a stop was requested.
  bool until_next_try(const std::string& problem, const RunControl& control);
  /// A try has succeeded: says so where it had waited.
  void found_room();
  bool waits() const { return since_.has_value(); }

 private:
  using Clock = std::chrono::steady_clock;
  void say(const std::string& problem) const;

  std::chrono::seconds most_;
  std::optional<Clock::time_point> since_;  ///< the first try that failed
  Clock::duration pause_{};
};

}  // namespace carryover
