// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel of rotate_rows, without launches (see pool_topk_device.h).
#pragma once
#include "kernels/element.h"
#include "kernels/rotate_rows.h"

namespace carryover::kernels {

inline constexpr int rotate_threads = 256;

/// A thread turns `width` neighbouring pairs. Grid: (blocks, rows); a row's packs are length · d/2 / width.
template <typename T, int width>
__global__ void __launch_bounds__(rotate_threads) rotate_packs(const RotateRows args) {
  using W = Opmath<T>;
  const std::uint32_t half = static_cast<std::uint32_t>(args.head_dim) / 2, per_key = half / width;
  const std::uint32_t packs = static_cast<std::uint32_t>(args.length) * per_key, step = gridDim.x * rotate_threads;
  const std::int64_t row = blockIdx.y;
  const T* const input = static_cast<const T*>(args.input) + row * args.row_stride;
  T* const output = static_cast<T*>(args.output) + row * args.length * args.head_dim;
  for (std::uint32_t i = blockIdx.x * rotate_threads + threadIdx.x; i < packs; i += step) {
    const std::int64_t position = i / per_key;
    const std::uint32_t c = i % per_key * width;
    const T* const in = input + position * args.position_stride + c;
    const std::int64_t angle = position * half + c;
    const auto cosine = *reinterpret_cast<const Pack<W, width>*>(static_cast<const W*>(args.cosine) + angle);
    const auto sine = *reinterpret_cast<const Pack<W, width>*>(static_cast<const W*>(args.sine) + angle);
    const auto low = *reinterpret_cast<const Pack<T, width>*>(in);
    const auto high = *reinterpret_cast<const Pack<T, width>*>(in + half);
    Pack<T, width> out_low, out_high;
    for (int k = 0; k < width; ++k) {
      const W turned = args.backwards ? -sine.values[k] : sine.values[k];
      const W a = to_opmath(low.values[k]), b = to_opmath(high.values[k]);
      narrow(a * cosine.values[k] - b * turned, out_low.values[k]);
      narrow(b * cosine.values[k] + a * turned, out_high.values[k]);
    }
    T* const out = output + position * args.head_dim + c;
    *reinterpret_cast<Pack<T, width>*>(out) = out_low;
    *reinterpret_cast<Pack<T, width>*>(out + half) = out_high;
  }
}

/// How many elements of a type 16 bytes hold.
template <typename T>
inline constexpr int elements_at_once = 16 / sizeof(T);

inline bool aligned(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0;
}

/// Whether whole packs of `width` lie aligned everywhere.
inline bool takes_packs(const RotateRows& args, int width) {
  return args.head_dim / 2 % width == 0 && args.row_stride % width == 0 && args.position_stride % width == 0 &&
         aligned(args.input) && aligned(args.cosine) && aligned(args.sine) && aligned(args.output);
}

}  // namespace carryover::kernels
