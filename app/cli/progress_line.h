// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <chrono>
#include <cstdint>
#include <string>

namespace carryover {

/// Progress on standard error: one live line on a terminal, plain lines (at most one a second) elsewhere, nothing when
/// quiet. One thread.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();  ///< clears a live line

  void loading(double fraction, const std::string& what);
  /// The clock of tokens/s starts at the first call.
  void tokens(std::int64_t done, std::int64_t total);
  /// A line that stays, where there is no live one; `detail` is appended to the rate and the time left.
  void segment(std::int64_t index, std::int64_t done, std::int64_t total, const std::string& detail);
  /// Any state: a live line, or one at most once a second elsewhere.
  void status(const std::string& text);
  /// A line that stays.
  void note(const std::string& text);
  void clear();
  /// The clock of tokens/s starts again with the next call.
  void restart() { started_ = false; }

 private:
  using Clock = std::chrono::steady_clock;
  void show(const std::string& text);
  bool due(double seconds);
  std::string rate(std::int64_t done, std::int64_t total) const;

  bool quiet_, terminal_;
  bool shown_ = false, started_ = false, loading_shown_ = false;
  Clock::time_point start_{}, last_{};
};

}  // namespace carryover
