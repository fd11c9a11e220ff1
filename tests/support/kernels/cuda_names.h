// SPDX-License-Identifier: GPL-3.0-or-later
// The names of CUDA that the kernels use. cuda_on_cpu.h and cuda_on_threads.h end with this header, which calls what
// each of them defines: thread_index(), block_index(), grid_size(), block_memory() and exchange().
#pragma once
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>

namespace carryover::kernels {
template <typename T>
T& shared_memory() {
  return cuda_on_cpu::block_memory().as<T>();
}
}  // namespace carryover::kernels

#define __global__
#define __device__
#define __launch_bounds__(threads)
#define threadIdx (::carryover::cuda_on_cpu::thread_index())
#define blockIdx (::carryover::cuda_on_cpu::block_index())
#define gridDim (::carryover::cuda_on_cpu::grid_size())

struct alignas(16) uint4 {
  unsigned x, y, z, w;
};

inline unsigned long long __shfl_sync(unsigned, unsigned long long value, int lane) {
  return carryover::cuda_on_cpu::exchange(value)[static_cast<unsigned>(lane)];
}

inline float __shfl_xor_sync(unsigned, float value, int distance) {
  const unsigned lane = carryover::cuda_on_cpu::thread_index().x % 32;
  const auto shown = carryover::cuda_on_cpu::exchange(std::bit_cast<std::uint32_t>(value));
  return std::bit_cast<float>(static_cast<std::uint32_t>(shown[lane ^ static_cast<unsigned>(distance)]));
}

inline unsigned __ballot_sync(unsigned, bool vote) {
  const auto votes = carryover::cuda_on_cpu::exchange(vote);
  unsigned bits = 0;
  for (unsigned lane = 0; lane < 32; ++lane) bits |= static_cast<unsigned>(votes[lane]) << lane;
  return bits;
}

/// It orders memory here, as __threadfence() around it does on a GPU.
inline int atomicAdd(int* value, int more) {
  return std::atomic_ref<int>(*value).fetch_add(more);
}
inline void __threadfence() {}

inline int __popc(unsigned bits) {
  return __builtin_popcount(bits);
}

inline int __ffs(int bits) {
  return __builtin_ffs(bits);
}

namespace carryover::kernels {
/// A warp's tensor cores, by what the lanes show each other (kernels/cuda/tensor_cores.h).
inline void multiply_16x8x16(float (&sums)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
  const unsigned lane = cuda_on_cpu::thread_index().x % 32, row = lane / 4, column = lane % 4 * 2;
  std::uint32_t own[4][4], others[2][4][2];  // by lane of four: a's; by column: b's
  const auto both = [](std::uint32_t low, std::uint32_t high) { return low | std::uint64_t{high} << 32; };
  for (unsigned half = 0; half < 2; ++half) {
    const auto shown = cuda_on_cpu::exchange(both(a[2 * half], a[2 * half + 1]));
    for (unsigned i = 0; i < 4; ++i) {
      const std::uint64_t words = shown[4 * row + i];
      own[i][2 * half] = static_cast<std::uint32_t>(words),
                 own[i][2 * half + 1] = static_cast<std::uint32_t>(words >> 32);
    }
  }
  const auto shown = cuda_on_cpu::exchange(both(b0, b1));
  for (unsigned c = 0; c < 2; ++c)
    for (unsigned i = 0; i < 4; ++i) {
      const std::uint64_t words = shown[4 * (column + c) + i];
      others[c][i][0] = static_cast<std::uint32_t>(words), others[c][i][1] = static_cast<std::uint32_t>(words >> 32);
    }
  const auto number = [](std::uint32_t word, unsigned half) {
    return std::bit_cast<float>(half == 0 ? word << 16 : word & 0xffff0000u);
  };
  for (unsigned i = 0; i < 4; ++i)
    for (unsigned k = 0; k < 16; ++k)
      sums[i] += number(own[k % 8 / 2][k / 8 * 2 + i / 2], k % 2) * number(others[i % 2][k % 8 / 2][k / 8], k % 2);
}
}  // namespace carryover::kernels
