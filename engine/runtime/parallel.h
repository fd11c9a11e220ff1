// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

// Without OpenMP, LibTorch's header silently makes at::parallel_for a plain loop.
#ifndef INTRA_OP_PARALLEL
#error "at::parallel_for would run on one thread: compile with -fopenmp (cmake/Torch.cmake)"
#endif

namespace carryover::ops {

/// Returns how many units make a task for a thread if a unit works on this many values: to wake a thread costs as much
/// as some ten thousand values.
inline std::int64_t grain_of(std::int64_t values_per_unit) {
  return std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, values_per_unit));
}

/// Calls f(begin, end) for parts of [begin, end) of at least `grain` units, on all threads. A free thread takes the
/// next part, so that a thread that another process holds up delays the loop by one part, not by its share of the loop.
/// Each thread has a few parts: more would be too short, and with fewer the others would wait longer for the last one.
/// Inside another loop, and inside f, everything runs on one thread.
template <typename F>
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, const F& f) {
  constexpr std::int64_t parts_per_thread = 8;
  const std::int64_t count = end - begin, threads = at::in_parallel_region() ? 1 : at::get_num_threads();
  if (count <= 0) return;
  if (count <= grain || threads == 1) return f(begin, end);
  const std::int64_t most = threads * parts_per_thread, part = std::max(grain, (count + most - 1) / most);
  std::atomic<std::int64_t> next = begin;
  at::parallel_for(0, std::min(threads, (count + part - 1) / part), 1, [&](std::int64_t, std::int64_t) {
    for (std::int64_t first = next.fetch_add(part); first < end; first = next.fetch_add(part))
      f(first, std::min(end, first + part));
  });
}

}  // namespace carryover::ops
