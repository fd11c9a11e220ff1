// SPDX-License-Identifier: GPL-3.0-or-later
#include <cuda_runtime_api.h>

#include "kernels/cuda/rotate_rows_device.h"

namespace carryover::kernels {
namespace {

template <typename T, int width>
void launch(const RotateRows& args, cudaStream_t stream) {
  constexpr std::int64_t most_blocks = 1024;
  const std::int64_t packs = static_cast<std::int64_t>(args.length) * (args.head_dim / 2 / width);
  const std::int64_t blocks = (packs + rotate_threads - 1) / rotate_threads;
  const dim3 grid(static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks), static_cast<unsigned>(args.rows));
  rotate_packs<T, width><<<grid, rotate_threads, 0, stream>>>(args);
}

}  // namespace

Status rotate_rows(const RotateRows& args, Stream stream) {
  constexpr std::int64_t most_pairs = 0x7fffffff;
  const bool supported = args.rows >= 0 && args.rows <= 65535 && args.length >= 0 && args.head_dim >= 2 &&
                         args.head_dim % 2 == 0 &&
                         static_cast<std::int64_t>(args.length) * (args.head_dim / 2) <= most_pairs;
  if (!supported) return cudaErrorInvalidValue;
  if (args.rows == 0 || args.length == 0) return cudaSuccess;
  over_packs(args, [&](auto element, auto width) {
    launch<decltype(element), decltype(width)::value>(args, static_cast<cudaStream_t>(stream));
  });
  return cudaGetLastError();
}

}  // namespace carryover::kernels
