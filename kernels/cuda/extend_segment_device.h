// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel of extend_segment, without launches (see pool_topk_device.h).
#pragma once
#include "kernels/cuda/rotate_rows_device.h"
#include "kernels/extend_segment.h"

namespace carryover::kernels {

inline constexpr int extend_threads = 256;

/// A thread's `width` neighbouring pairs (c, c + d/2) of one row, rotated and unrotated.
template <typename T, int width>
struct ProjectedPairs {
  Pack<T, width> low, high, turned_low, turned_high;

  __device__ void store(void* to, std::int64_t at, std::uint32_t half) const { put(low, high, to, at, half); }
  __device__ void store_turned(void* to, std::int64_t at, std::uint32_t half) const {
    put(turned_low, turned_high, to, at, half);
  }

 private:
  __device__ static void put(const Pack<T, width>& a, const Pack<T, width>& b, void* to, std::int64_t at,
                             std::uint32_t half) {
    T* const out = static_cast<T*>(to) + at;
    *reinterpret_cast<Pack<T, width>*>(out) = a;
    *reinterpret_cast<Pack<T, width>*>(out + half) = b;
  }
};

/// Grid: (blocks). Threads process the projections in their order.
template <typename T, int width>
__global__ void __launch_bounds__(extend_threads) extend_packs(const ExtendSegment args) {
  const std::uint32_t d = static_cast<std::uint32_t>(args.head_dim), half = d / 2, per_row = half / width;
  const std::uint32_t heads = static_cast<std::uint32_t>(args.heads),
                      kv_heads = static_cast<std::uint32_t>(args.kv_heads);
  const std::uint32_t rows = heads + 2 * kv_heads, step = gridDim.x * extend_threads;
  const std::uint32_t packs = static_cast<std::uint32_t>(args.length) * rows * per_row;
  const std::int64_t first_kept = std::int64_t{args.length} - args.tail_kept;
  for (std::uint32_t i = blockIdx.x * extend_threads + threadIdx.x; i < packs; i += step) {
    const std::uint32_t c = i % per_row * width, projected = i / per_row, row = projected % rows;
    const std::int64_t position = projected / rows;
    const T* const in = static_cast<const T*>(args.projections) + std::int64_t{projected} * d + c;
    ProjectedPairs<T, width> pairs;
    pairs.low = *reinterpret_cast<const Pack<T, width>*>(in);
    pairs.high = *reinterpret_cast<const Pack<T, width>*>(in + half);
    if (row >= heads + kv_heads) {
      const std::int64_t head = row - heads - kv_heads;
      pairs.store(args.values, head * args.row_stride + (args.first + position) * d + c, half);
      continue;
    }
    const Angles<T, width> angles = angles_at<T, width>(args.cosine, args.sine, position * half + c);
    turn(pairs.low, pairs.high, angles, pairs.turned_low, pairs.turned_high);
    if (row < heads) {
      pairs.store_turned(args.queries, (position * heads + row) * d + c, half);
      if (position >= first_kept)
        pairs.store(args.tail, row * args.tail_row_stride + (args.tail_first + position - first_kept) * d + c, half);
      continue;
    }
    const std::int64_t at = (row - heads) * args.row_stride + (args.first + position) * d + c;
    pairs.store_turned(args.rotated_keys, at, half);
    if (args.keys != nullptr) pairs.store(args.keys, at, half);
  }
}

/// Returns true if whole packs of `width` are aligned everywhere.
inline bool takes_packs(const ExtendSegment& args, int width) {
  return args.head_dim / 2 % width == 0 && args.row_stride % width == 0 && args.tail_row_stride % width == 0 &&
         aligned(args.projections) && aligned(args.cosine) && aligned(args.sine) && aligned(args.queries) &&
         aligned(args.rotated_keys) && aligned(args.values) && aligned(args.keys) && aligned(args.tail);
}

}  // namespace carryover::kernels
