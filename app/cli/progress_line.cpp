// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/progress_line.h"

#include <unistd.h>

#include "engine/base/duration_text.h"
#include "engine/base/terminal_text.h"
#include "engine/base/text_parts.h"

namespace carryover {

namespace {
double seconds_between(std::chrono::steady_clock::time_point begin, std::chrono::steady_clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}
}  // namespace

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::clear() {
  if (shown_) print_over_line({});
  shown_ = false;
}

void ProgressLine::show(const std::string& text) {
  if (terminal_)
    print_over_line(text);
  else
    print_error_line(text);
  shown_ = terminal_;
}

bool ProgressLine::due(double seconds) {
  const auto now = Clock::now();
  if (last_ != Clock::time_point{} && seconds_between(last_, now) < seconds) return false;
  last_ = now;
  return true;
}

void ProgressLine::loading(double fraction, const std::string& what) {
  if (quiet_ || (!terminal_ && loading_shown_) || (terminal_ && !due(0.1))) return;
  loading_shown_ = true;
  show(terminal_ ? "loading " + what + "  " + fixed_text(100 * fraction, 0) + " %" : "loading the model");
}

void ProgressLine::status(const std::string& text) {
  if (!quiet_ && due(terminal_ ? 0.1 : 1.0)) show(text);
}

void ProgressLine::note(const std::string& text) {
  if (quiet_) return;
  clear();
  print_error_line(text);
}

std::string ProgressLine::rate(std::int64_t done, std::int64_t total) const {
  const double seconds = seconds_between(start_, Clock::now());
  if (done <= 0 || seconds <= 0) return "";
  const double per_second = static_cast<double>(done) / seconds;
  return ", " + fixed_text(per_second, per_second < 10 ? 1 : 0) + " tokens/s, " +
         human_duration(static_cast<double>(total - done) / per_second) + " left";
}

void ProgressLine::tokens(std::int64_t done, std::int64_t total) {
  if (!started_) start_ = Clock::now();
  started_ = true;
  if (quiet_ || !terminal_ || !due(0.1)) return;
  show(std::to_string(done) + " of " + std::to_string(total) + " tokens" + rate(done, total));
}

void ProgressLine::segment(std::int64_t index, std::int64_t done, std::int64_t total, const std::string& detail) {
  tokens(done, total);
  if (quiet_ || terminal_ || (done < total && !due(1.0))) return;
  show("segment " + std::to_string(index) + ": " + std::to_string(done) + " of " + std::to_string(total) + " tokens" +
       rate(done, total) + detail);
}

}  // namespace carryover
