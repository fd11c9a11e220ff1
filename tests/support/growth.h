// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>
#include <ctime>
#include <limits>

namespace carryover::test {

/// The processor time of this thread: other programs don't add to it.
inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

template <typename Action>
double least_seconds(Action action) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 5; ++i) {
    const double start = thread_seconds();
    action();
    least = std::min(least, thread_seconds() - start);
  }
  return least;
}

/// Returns how many times as long `run(make(8 n))` takes as `run(make(n))`: 8 if time is linear, 64 if it is quadratic.
template <typename Make, typename Run>
double growth(std::int64_t n, Make make, Run run) {
  const auto small = make(n), large = make(8 * n);
  const double of_small = least_seconds([&] { run(small); });
  return least_seconds([&] { run(large); }) / std::max(of_small, 1e-5);
}

/// Above what caches, logarithms and a busy machine make of 8, far below 64.
constexpr double most_linear_growth = 28;

}  // namespace carryover::test
