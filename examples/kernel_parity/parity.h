// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <array>
#include <cstdio>

#include "examples/kernel_parity/device_memory.h"
#include "kernels/cuda_table.h"
#include "tests/support/kernels/kernel_cases.h"

namespace carryover::parity {

inline const kernels::CudaKernels& cuda() {
  return *carryover_cuda_kernels();
}

inline void finish(kernels::Status launched) {
  check(launched, "launch");
  check(cudaDeviceSynchronize(), "run");
}

inline int case_count = kernel_cases::case_count;  ///< of each kernel; set once, by main()

/// Runs the cases of a kernel and prints how many agree.
inline bool compare(const char* kernel, bool (*agrees)(int)) {
  int passed = 0, first_failed = -1;
  for (int n = 0; n < case_count; ++n) {
    if (agrees(n)) {
      ++passed;
    } else if (first_failed < 0) {
      first_failed = n;
    }
  }
  std::printf("%-14s %4d of %d cases agree", kernel, passed, case_count);
  std::printf(first_failed < 0 ? "   pass\n" : "   FAIL, first case %d\n", first_failed);
  return first_failed < 0;
}

/// Milliseconds of one call on an idle device: the median of nine after one that warms up.
template <typename Call>
float median_ms(Call&& call) {
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start), "event");
  check(cudaEventCreate(&stop), "event");
  std::array<float, 9> times{};
  finish(call());
  for (float& ms : times) {
    check(cudaEventRecord(start, nullptr), "event");
    check(call(), "launch");
    check(cudaEventRecord(stop, nullptr), "event");
    check(cudaEventSynchronize(stop), "event");
    check(cudaEventElapsedTime(&ms, start, stop), "event");
  }
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  std::nth_element(times.begin(), times.begin() + 4, times.end());
  return times[4];
}

}  // namespace carryover::parity
