// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels of swiglu, without launches (see pool_topk_device.h).
#pragma once
#include "kernels/cuda/packs.h"
#include "kernels/swiglu.h"

namespace carryover::kernels {

inline constexpr int swiglu_threads = 256;

__device__ inline float exponential(float value) {
  return expf(value);
}
__device__ inline double exponential(double value) {
  return exp(value);
}

/// A thread computes `width` neighbours. Grid: (blocks, at most the rows; further rows are processed in a loop).
template <typename T, int width>
__global__ void __launch_bounds__(swiglu_threads) swiglu_packs(const Swiglu args) {
  using W = Opmath<T>;
  using Values = Pack<T, width>;
  for (std::int64_t row = blockIdx.y; row < args.rows; row += gridDim.y) {
    const T* const gates = static_cast<const T*>(args.input) + row * 2 * args.inner;
    T* const output = static_cast<T*>(args.output) + row * args.inner;
    for (std::int32_t c = (blockIdx.x * swiglu_threads + threadIdx.x) * width; c < args.inner;
         c += gridDim.x * swiglu_threads * width) {
      const auto gate = *reinterpret_cast<const Values*>(gates + c);
      const auto up = *reinterpret_cast<const Values*>(gates + args.inner + c);
      Values out;
      for (int k = 0; k < width; ++k) {
        const W g = to_opmath(gate.values[k]);
        narrow(g / (W(1) + exponential(-gate_argument(g, args.gelu))) * to_opmath(up.values[k]), out.values[k]);
      }
      *reinterpret_cast<Values*>(output + c) = out;
    }
  }
}

template <typename T, int width>
__global__ void __launch_bounds__(swiglu_threads) swiglu_backward_packs(const Swiglu args) {
  using W = Opmath<T>;
  using Values = Pack<T, width>;
  for (std::int64_t row = blockIdx.y; row < args.rows; row += gridDim.y) {
    const T* const gates = static_cast<const T*>(args.input) + row * 2 * args.inner;
    const T* const gradients = static_cast<const T*>(args.gradient) + row * args.inner;
    T* const output = static_cast<T*>(args.output) + row * 2 * args.inner;
    for (std::int32_t c = (blockIdx.x * swiglu_threads + threadIdx.x) * width; c < args.inner;
         c += gridDim.x * swiglu_threads * width) {
      const auto gate = *reinterpret_cast<const Values*>(gates + c);
      const auto up = *reinterpret_cast<const Values*>(gates + args.inner + c);
      const auto gradient = *reinterpret_cast<const Values*>(gradients + c);
      Values to_gate, to_up;
      for (int k = 0; k < width; ++k) {
        const W g = to_opmath(gate.values[k]), from = to_opmath(gradient.values[k]);
        const W sigmoid = W(1) / (W(1) + exponential(-gate_argument(g, args.gelu))), active = g * sigmoid;
        const W slope = sigmoid + active * (W(1) - sigmoid) * gate_slope(g, args.gelu);
        narrow(from * to_opmath(up.values[k]) * slope, to_gate.values[k]);
        narrow(from * active, to_up.values[k]);
      }
      *reinterpret_cast<Values*>(output + c) = to_gate;
      *reinterpret_cast<Values*>(output + args.inner + c) = to_up;
    }
  }
}

inline bool takes_packs(const Swiglu& args, int width) {
  return args.inner % width == 0 && aligned(args.input) && aligned(args.output) &&
         (args.gradient == nullptr || aligned(args.gradient));
}

}  // namespace carryover::kernels
