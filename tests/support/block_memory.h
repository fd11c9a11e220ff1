// SPDX-License-Identifier: GPL-3.0-or-later
// The parts that cuda_on_cpu.h and cuda_on_threads.h share: indices and the memory of a block.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace carryover::cuda_on_cpu {

struct Index3 {
  unsigned x = 1, y = 1, z = 1;
};

[[noreturn]] inline void stop(const char* why) {
  std::fprintf(stderr, "cuda_on_cpu: %s\n", why);
  std::abort();
}

/// The shared memory of a block. Each block finds it filled with 0xff bytes (NaN, -1) or, by turns, with 0x7f (3.4e38,
/// 2139062143): what a kernel reads before it has written it does not look like a result.
class BlockMemory {
 public:
  void poison() {
    fill(poison_);
    poison_ ^= 0x80;
  }

  /// Zeros instead: what is read too early is then an index that exists.
  void clear() { fill(0); }

  /// A block has one T, as kernels/cuda/shared_memory.h says.
  template <typename T>
  T& as() {
    static_assert(sizeof(T) <= sizeof bytes_ && alignof(T) <= 16);
    static const char id = 0;
    const char* before = nullptr;
    if (!holds_.compare_exchange_strong(before, &id, std::memory_order_relaxed) && before != &id)
      stop("a kernel asks for two kinds of shared memory");
    return *reinterpret_cast<T*>(bytes_);
  }

 private:
  void fill(int byte) {
    std::memset(bytes_, byte, sizeof bytes_);
    holds_ = nullptr;
  }

  alignas(16) std::byte bytes_[48 * 1024];  // what a block has that does not ask for more
  int poison_ = 0xff;
  std::atomic<const char*> holds_ = nullptr;
};

}  // namespace carryover::cuda_on_cpu
