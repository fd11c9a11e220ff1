// SPDX-License-Identifier: GPL-3.0-or-later
#include <cuda_runtime_api.h>

#include "kernels/cuda/extend_segment_device.h"

namespace carryover::kernels {
namespace {

template <typename T, int width>
void launch(const ExtendSegment& args, cudaStream_t stream) {
  constexpr std::int64_t most_blocks = 8192;
  const std::int64_t rows = std::int64_t{args.heads} + 2 * std::int64_t{args.kv_heads};
  const std::int64_t packs = args.length * rows * (args.head_dim / 2 / width);
  const std::int64_t blocks = (packs + extend_threads - 1) / extend_threads;
  extend_packs<T, width>
      <<<static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks), extend_threads, 0, stream>>>(args);
}

}  // namespace

Status extend_segment(const ExtendSegment& args, Stream stream) {
  constexpr std::int64_t most_pairs = 0x7fffffff;
  const bool sane = args.length >= 0 && args.heads >= 0 && args.kv_heads >= 0 && args.head_dim >= 2 &&
                    args.head_dim % 2 == 0 && args.tail_kept >= 0 && args.tail_kept <= args.length;
  if (!sane) return cudaErrorInvalidValue;
  const std::int64_t row_pairs = (std::int64_t{args.heads} + 2 * std::int64_t{args.kv_heads}) * (args.head_dim / 2);
  if (row_pairs > most_pairs || args.length * row_pairs > most_pairs) return cudaErrorInvalidValue;
  if (args.length == 0 || row_pairs == 0) return cudaSuccess;
  over_packs(args, [&](auto element, auto width) {
    launch<decltype(element), decltype(width)::value>(args, static_cast<cudaStream_t>(stream));
  });
  return cudaGetLastError();
}

}  // namespace carryover::kernels
