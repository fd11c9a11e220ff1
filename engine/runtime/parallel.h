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

/// Calls work(next) on each thread, for `parts` parts of any sizes. A free thread takes part `next++`, as long as it is
/// less than `parts`, so that a thread that another process holds up delays the loop by one part, not by its share of
/// the loop. Inside another loop, and inside the work, everything runs on one thread.
template <typename Work>
void share_parts(std::int64_t parts, const Work& work) {
  std::atomic<std::int64_t> next = 0;
  at::parallel_for(0, std::min<std::int64_t>(parts, at::get_num_threads()), 1,
                   [&](std::int64_t, std::int64_t) { work(next); });
}

/// Calls f(begin, end) for parts of [begin, end) of at least `grain` units, which threads share. Each thread has
/// a few parts: more would be too short, and with fewer the others would wait longer for the last one.
template <typename F>
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, const F& f) {
  constexpr std::int64_t parts_per_thread = 8;
  const std::int64_t count = end - begin, threads = at::in_parallel_region() ? 1 : at::get_num_threads();
  if (count <= 0) return;
  if (count <= grain || threads == 1) return f(begin, end);
  const std::int64_t most = threads * parts_per_thread, part = std::max(grain, (count + most - 1) / most);
  const std::int64_t parts = (count + part - 1) / part;
  share_parts(parts, [&](std::atomic<std::int64_t>& next) {
    for (std::int64_t p = next++; p < parts; p = next++) f(begin + p * part, std::min(end, begin + (p + 1) * part));
  });
}

}  // namespace carryover::ops
