// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_thread/drain_pace.h"

#include <algorithm>
#include <ctime>

namespace carryover {
namespace {

constexpr double interval_ms = 34, longest_interval_ms = 600;
constexpr double most_cpu_share = 0.03;  ///< of one core, for showing what the engine does on all of them

double thread_cpu_ms() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) / 1e6;
}

}  // namespace

void DrainPace::drained() {
  since_.start();
  cpu_ms_ = thread_cpu_ms();
}

int DrainPace::ms_left(bool shares_cores) const {
  if (!since_.isValid()) return 0;
  const double cost = shares_cores ? (thread_cpu_ms() - cpu_ms_) / most_cpu_share : 0;
  const double due = std::clamp(cost, interval_ms, longest_interval_ms);
  return std::max(0, static_cast<int>(due) - static_cast<int>(since_.elapsed()));
}

}  // namespace carryover
