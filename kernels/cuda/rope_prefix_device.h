// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel of rope_prefix, without launches (see pool_topk_device.h).
#pragma once
#include "kernels/element.h"
#include "kernels/rope_prefix.h"

namespace carryover::kernels {

inline constexpr int rope_threads = 256;

__device__ inline void sine_cosine(float angle, float& sine, float& cosine) {
  sincosf(angle, &sine, &cosine);
}
__device__ inline void sine_cosine(double angle, double& sine, double& cosine) {
  sincos(angle, &sine, &cosine);
}

/// A thread turns one pair (c, c + d/2) of one key; it alone reads and writes it, so output may be the input.
template <typename T>
__global__ void __launch_bounds__(rope_threads) rotate_pairs(const RopePrefix args, const std::int64_t pairs) {
  const std::int32_t half = args.head_dim / 2;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * rope_threads;
  for (std::int64_t i = blockIdx.x * std::int64_t{rope_threads} + threadIdx.x; i < pairs; i += step) {
    const std::int64_t key = i / half;
    const std::int64_t c = i % half;
    const std::int64_t position = args.first_position + key % args.length;
    const Opmath<T> scale = args.attention_scale;
    Opmath<T> sine, cosine;
    sine_cosine(static_cast<Opmath<T>>(position) * static_cast<Opmath<T>>(args.inverse_frequency[c]), sine, cosine);
    const std::int64_t at = key * args.head_dim + c;
    const Opmath<T> low = to_opmath(static_cast<const T*>(args.input)[at]);
    const Opmath<T> high = to_opmath(static_cast<const T*>(args.input)[at + half]);
    T* output = static_cast<T*>(args.output);
    narrow(low * (cosine * scale) - high * (sine * scale), output[at]);
    narrow(high * (cosine * scale) + low * (sine * scale), output[at + half]);
  }
}

}  // namespace carryover::kernels
