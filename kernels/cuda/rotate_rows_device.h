// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel of rotate_rows, without launches (see pool_topk_device.h).
#pragma once
#include "kernels/cuda/packs.h"
#include "kernels/element.h"
#include "kernels/rotate_rows.h"

namespace carryover::kernels {

inline constexpr int rotate_threads = 256;

/// The cosines and sines of `width` neighbouring pairs.
template <typename T, int width>
struct Angles {
  Pack<Opmath<T>, width> cosine, sine;
};
template <typename T, int width>
__device__ Angles<T, width> angles_at(const void* cosine, const void* sine, std::int64_t at) {
  using W = Opmath<T>;
  return {*reinterpret_cast<const Pack<W, width>*>(static_cast<const W*>(cosine) + at),
          *reinterpret_cast<const Pack<W, width>*>(static_cast<const W*>(sine) + at)};
}

/// Rotates pairs (low, high) by their angles.
template <typename T, int width>
__device__ void turn(const Pack<T, width>& low, const Pack<T, width>& high, const Angles<T, width>& angles,
                     Pack<T, width>& out_low, Pack<T, width>& out_high) {
  for (int k = 0; k < width; ++k) {
    const Opmath<T> a = to_opmath(low.values[k]), b = to_opmath(high.values[k]);
    narrow(a * angles.cosine.values[k] - b * angles.sine.values[k], out_low.values[k]);
    narrow(b * angles.cosine.values[k] + a * angles.sine.values[k], out_high.values[k]);
  }
}

/// A thread rotates `width` neighbouring pairs. Grid: (blocks, rows); a row has length · d/2 / width packs.
template <typename T, int width>
__global__ void __launch_bounds__(rotate_threads) rotate_packs(const RotateRows args) {
  const std::uint32_t half = static_cast<std::uint32_t>(args.head_dim) / 2, per_key = half / width;
  const std::uint32_t packs = static_cast<std::uint32_t>(args.length) * per_key, step = gridDim.x * rotate_threads;
  const std::int64_t row = blockIdx.y, from = args.row == nullptr ? row : args.row[row];
  const std::int64_t out_stride = (args.by_position ? std::int64_t{args.rows} : 1) * args.head_dim;
  const T* const input = static_cast<const T*>(args.input) + from * args.row_stride;
  T* const output = static_cast<T*>(args.output) + row * (args.by_position ? 1 : args.length) * args.head_dim;
  for (std::uint32_t i = blockIdx.x * rotate_threads + threadIdx.x; i < packs; i += step) {
    const std::int64_t position = i / per_key;
    const std::uint32_t c = i % per_key * width;
    const T* const in = input + position * args.position_stride + c;
    Angles<T, width> angles = angles_at<T, width>(args.cosine, args.sine, position * half + c);
    if (args.backwards)
      for (auto& sine : angles.sine.values) sine = -sine;
    const auto low = *reinterpret_cast<const Pack<T, width>*>(in);
    const auto high = *reinterpret_cast<const Pack<T, width>*>(in + half);
    Pack<T, width> out_low, out_high;
    turn(low, high, angles, out_low, out_high);
    T* const out = output + position * out_stride + c;
    *reinterpret_cast<Pack<T, width>*>(out) = out_low;
    *reinterpret_cast<Pack<T, width>*>(out + half) = out_high;
  }
}

/// Returns true if whole packs of `width` are aligned everywhere.
inline bool takes_packs(const RotateRows& args, int width) {
  return args.head_dim / 2 % width == 0 && args.row_stride % width == 0 && args.position_stride % width == 0 &&
         aligned(args.input) && aligned(args.cosine) && aligned(args.sine) && aligned(args.output);
}

}  // namespace carryover::kernels
