// SPDX-License-Identifier: GPL-3.0-or-later
#include <cuda_runtime_api.h>

#include "kernels/cuda/swiglu_device.h"

namespace carryover::kernels {
namespace {

dim3 grid_of(const Swiglu& args, int width) {
  constexpr std::int64_t most_rows = 65535;
  const std::int64_t packs = args.inner / width, blocks = (packs + swiglu_threads - 1) / swiglu_threads;
  return dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(args.rows < most_rows ? args.rows : most_rows));
}

bool is_sane(const Swiglu& args) {
  return args.rows >= 0 && args.inner >= 1 && args.inner <= 0x3fffffff;
}

/// Calls run(element, width), as over_packs() does, if there is work to do.
template <typename Run>
Status launch(const Swiglu& args, const Run& run) {
  if (!is_sane(args)) return cudaErrorInvalidValue;
  if (args.rows == 0) return cudaSuccess;
  over_packs(args, run);
  return cudaGetLastError();
}

}  // namespace

Status swiglu(const Swiglu& args, Stream stream) {
  return launch(args, [&](auto element, auto width) {
    swiglu_packs<decltype(element), decltype(width)::value>
        <<<grid_of(args, width), swiglu_threads, 0, static_cast<cudaStream_t>(stream)>>>(args);
  });
}

Status swiglu_backward(const Swiglu& args, Stream stream) {
  return launch(args, [&](auto element, auto width) {
    swiglu_backward_packs<decltype(element), decltype(width)::value>
        <<<grid_of(args, width), swiglu_threads, 0, static_cast<cudaStream_t>(stream)>>>(args);
  });
}

}  // namespace carryover::kernels
