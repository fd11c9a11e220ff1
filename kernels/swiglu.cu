// SPDX-License-Identifier: GPL-3.0-or-later
#include <cuda_runtime_api.h>

#include "kernels/device/swiglu_device.h"

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

}  // namespace

Status swiglu(const Swiglu& args, Stream stream) {
  if (!is_sane(args)) return cudaErrorInvalidValue;
  if (args.rows == 0) return cudaSuccess;
  auto cuda_stream = static_cast<cudaStream_t>(stream);
  visit_element(args.type, [&](auto element) {
    using T = decltype(element);
    constexpr int width = elements_at_once<T>;
    if (takes_packs(args, width))
      swiglu_packs<T, width><<<grid_of(args, width), swiglu_threads, 0, cuda_stream>>>(args);
    else
      swiglu_packs<T, 1><<<grid_of(args, 1), swiglu_threads, 0, cuda_stream>>>(args);
  });
  return cudaGetLastError();
}

Status swiglu_backward(const Swiglu& args, Stream stream) {
  if (!is_sane(args)) return cudaErrorInvalidValue;
  if (args.rows == 0) return cudaSuccess;
  auto cuda_stream = static_cast<cudaStream_t>(stream);
  visit_element(args.type, [&](auto element) {
    using T = decltype(element);
    constexpr int width = elements_at_once<T>;
    if (takes_packs(args, width))
      swiglu_backward_packs<T, width><<<grid_of(args, width), swiglu_threads, 0, cuda_stream>>>(args);
    else
      swiglu_backward_packs<T, 1><<<grid_of(args, 1), swiglu_threads, 0, cuda_stream>>>(args);
  });
  return cudaGetLastError();
}

}  // namespace carryover::kernels
