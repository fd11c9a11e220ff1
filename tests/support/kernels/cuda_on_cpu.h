// SPDX-License-Identifier: GPL-3.0-or-later
// Runs CUDA device code on the CPU, so that a machine without a GPU can test barriers, bounds and shuffles. Include
// this before a header of kernels/cuda. Each CUDA thread of a block is a coroutine on one CPU thread, switched only
// where it waits for its block or its warp; blocks run one after the other. In each round the threads run in a new
// random order, so that what lacks a barrier gives wrong results soon. One that waits for threads that have left, or
// that wait elsewhere, stops the program. Shared memory is poisoned before each block, and variables ("registers")
// where the compiler does it (tests/kernels/emulated.cmake). cuda_on_threads.h runs the same code on threads.
#pragma once
#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "tests/support/block_memory.h"

namespace carryover::cuda_on_cpu {

inline constexpr std::size_t stack_bytes = 64 * 1024;

enum class Wait { None, Block, Warp, Done };

struct Fiber {
  ucontext_t context;
  std::unique_ptr<char[]> stack;
  Wait wait = Wait::None;
};

struct Machine {
  Index3 thread, block, grid;
  std::vector<Fiber> fibers;
  std::vector<std::uint64_t> shown[2];  ///< what each thread shows its warp, by turns
  std::vector<std::size_t> exchanges;   ///< how often each thread has
  BlockMemory shared;
  std::function<void()> kernel;
  ucontext_t scheduler;
  std::size_t running = 0;
  std::mt19937 random{7};
};

inline Machine& machine() {
  static Machine instance;
  return instance;
}

inline Index3 thread_index() {
  return machine().thread;
}
inline Index3 block_index() {
  return machine().block;
}
inline Index3 grid_size() {
  return machine().grid;
}
inline BlockMemory& block_memory() {
  return machine().shared;
}

inline void wait_for(Wait what) {
  Machine& m = machine();
  const std::size_t self = m.running;
  m.fibers[self].wait = what;
  swapcontext(&m.fibers[self].context, &m.scheduler);
}

inline void fiber_main() {
  Machine& m = machine();
  m.kernel();
  wait_for(Wait::Done);
}

/// Frees the threads whose partners have all arrived. A block waits for all its threads; a warp for its 32.
inline void release_waiting(Machine& m) {
  const auto all_wait = [&](std::size_t begin, std::size_t end, Wait what) {
    return std::all_of(m.fibers.begin() + static_cast<std::ptrdiff_t>(begin),
                       m.fibers.begin() + static_cast<std::ptrdiff_t>(end),
                       [&](const Fiber& fiber) { return fiber.wait == what; });
  };
  const auto release = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) m.fibers[i].wait = Wait::None;
    return true;
  };
  bool released = false;
  const std::size_t threads = m.fibers.size();
  if (all_wait(0, threads, Wait::Block)) released = release(0, threads);
  for (std::size_t begin = 0; begin < threads; begin += 32) {
    const std::size_t end = std::min(begin + 32, threads);
    if (all_wait(begin, end, Wait::Warp)) released = release(begin, end);
  }
  if (!released && !all_wait(0, threads, Wait::Done)) stop("threads wait for each other for ever");
}

inline void prepare(Fiber& fiber) {
  fiber.wait = Wait::None;
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = fiber.stack.get();
  fiber.context.uc_stack.ss_size = stack_bytes;
  fiber.context.uc_link = nullptr;
  makecontext(&fiber.context, fiber_main, 0);
}

inline void run_block(Machine& m) {
  m.shared.poison();
  for (Fiber& fiber : m.fibers) prepare(fiber);
  std::vector<std::size_t> order(m.fibers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto is_done = [](const Fiber& fiber) { return fiber.wait == Wait::Done; };
  while (!std::all_of(m.fibers.begin(), m.fibers.end(), is_done)) {
    std::shuffle(order.begin(), order.end(), m.random);
    for (const std::size_t i : order) {
      if (m.fibers[i].wait != Wait::None) continue;
      m.running = i;
      m.thread = {static_cast<unsigned>(i), 0, 0};
      swapcontext(&m.scheduler, &m.fibers[i].context);
    }
    release_waiting(m);
  }
}

/// kernel<<<grid, threads>>>(...), finished on return.
inline void launch(Index3 grid, unsigned threads, std::function<void()> kernel) {
  Machine& m = machine();
  m.kernel = std::move(kernel);
  m.grid = grid;
  for (auto& buffer : m.shown) buffer.assign(threads, 0);
  m.exchanges.assign(threads, 0);
  m.fibers.resize(threads);
  for (Fiber& fiber : m.fibers) {
    if (!fiber.stack) fiber.stack = std::make_unique<char[]>(stack_bytes);
  }
  for (unsigned z = 0; z < grid.z; ++z) {
    for (unsigned y = 0; y < grid.y; ++y) {
      for (unsigned x = 0; x < grid.x; ++x) {
        m.block = {x, y, z};
        run_block(m);
      }
    }
  }
}

/// Shows `value` to the warp and returns what its 32 threads show. One wait does: a buffer is written again only after
/// the next exchange, which waits until all have read.
inline const std::uint64_t* exchange(std::uint64_t value) {
  Machine& m = machine();
  std::vector<std::uint64_t>& shown = m.shown[m.exchanges[m.running]++ % 2];
  shown[m.running] = value;
  wait_for(Wait::Warp);
  return &shown[m.running / 32 * 32];
}

}  // namespace carryover::cuda_on_cpu

#include "tests/support/kernels/cuda_names.h"

inline void __syncthreads() {
  carryover::cuda_on_cpu::wait_for(carryover::cuda_on_cpu::Wait::Block);
}
