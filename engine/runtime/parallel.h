// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/Parallel.h>

#include <algorithm>
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

}  // namespace carryover::ops
