// SPDX-License-Identifier: GPL-3.0-or-later
#include <cuda_runtime_api.h>

#include "kernels/cuda/rope_prefix_device.h"

namespace carryover::kernels {

Status rope_prefix(const RopePrefix& args, Stream stream) {
  if (args.rows < 0 || args.length < 0 || args.head_dim < 2 || args.head_dim % 2 != 0) return cudaErrorInvalidValue;
  constexpr std::int64_t most_blocks = 8192;
  const std::int64_t pairs = static_cast<std::int64_t>(args.rows) * args.length * (args.head_dim / 2);
  if (pairs == 0) return cudaSuccess;
  const std::int64_t blocks = (pairs + rope_threads - 1) / rope_threads;
  visit_element(args.type, [&](auto element) {
    rotate_pairs<decltype(element)><<<static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks), rope_threads,
                                      0, static_cast<cudaStream_t>(stream)>>>(args, pairs);
  });
  return cudaGetLastError();
}

}  // namespace carryover::kernels
