// SPDX-License-Identifier: GPL-3.0-or-later
// As cuda_on_cpu.h, for programs that are built with -fsanitize=thread: each CUDA thread is a thread of the CPU and
// each
// __syncthreads() a barrier, so that ThreadSanitizer reports what lacks one, whatever the values. Shuffles and votes
// wait for their warp too, but order no memory, as CUDA has it. Blocks with an even number and those with an odd one
// run beside each other, each kind on threads of its own: what two neighbours write is a race.
#pragma once
#include <pthread.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "tests/support/block_memory.h"

// Functions of ThreadSanitizer: waits between their calls order nothing.
extern "C" void AnnotateIgnoreSyncBegin(const char* file, int line);
extern "C" void AnnotateIgnoreSyncEnd(const char* file, int line);

namespace carryover::cuda_on_cpu {

/// pthread's, which ThreadSanitizer knows; std::barrier is built of atomics that it would have to follow.
class Barrier {
 public:
  explicit Barrier(unsigned threads) { pthread_barrier_init(&barrier_, nullptr, threads); }
  ~Barrier() { pthread_barrier_destroy(&barrier_); }
  Barrier(const Barrier&) = delete;
  Barrier& operator=(const Barrier&) = delete;
  void wait() { pthread_barrier_wait(&barrier_); }
  void wait_unordered() {
    AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
    wait();
    AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
  }

 private:
  pthread_barrier_t barrier_;
};

struct Launch {
  Index3 grid;
  const std::function<void()>& kernel;
};

/// The threads that run one kind of block, the even or the odd. They wait for one launch after the other: to make them
/// takes ThreadSanitizer longer than most blocks do.
class Team {
 public:
  Team(unsigned threads, unsigned first_block);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  void start(const Launch* launch);
  void finish() { finished_.wait(); }

  /// Each by turns. A thread that is slow to leave a barrier would else seem to have waited for what the others did
  /// before they came to it again.
  Barrier all[2];
  std::vector<std::unique_ptr<Barrier>> warps;
  using Words = std::vector<std::atomic<std::uint64_t>>;
  Words shown[2];  ///< what each thread shows its warp
  BlockMemory shared;

 private:
  void work(unsigned thread);
  void run_blocks() const;

  const unsigned first_block_;
  const Launch* launch_ = nullptr;
  Barrier started_, finished_;  ///< of the team and of who launches
  std::vector<std::thread> threads_;
};

struct Thread {
  Team* team = nullptr;
  Index3 thread, block, grid;
  std::size_t waits = 0, exchanges = 0;
};

inline Thread& this_thread() {
  static thread_local Thread thread;
  return thread;
}

inline Index3 thread_index() {
  return this_thread().thread;
}
inline Index3 block_index() {
  return this_thread().block;
}
inline Index3 grid_size() {
  return this_thread().grid;
}
inline BlockMemory& block_memory() {
  return this_thread().team->shared;
}

inline void wait_for_team() {
  Thread& self = this_thread();
  self.team->all[self.waits++ % 2].wait();
}

/// The barrier that nobody waits at, by its line in the kernel's header: what a test takes away.
inline int left_out_line = 0;

inline void wait_for_block(int line) {
  if (line != left_out_line) wait_for_team();
}

/// The values that the threads of a warp show, by lane.
struct Shown {
  const std::atomic<std::uint64_t>* words;
  std::uint64_t operator[](unsigned lane) const { return words[lane].load(std::memory_order_relaxed); }
};

/// Shows `value` to the warp and returns what its threads show. One wait does: a buffer is written again only after the
/// next exchange, which waits until all have read.
inline Shown exchange(std::uint64_t value) {
  Thread& self = this_thread();
  Team::Words& shown = self.team->shown[self.exchanges++ % 2];
  shown[self.thread.x].store(value, std::memory_order_relaxed);
  self.team->warps[self.thread.x / 32]->wait_unordered();
  return {&shown[self.thread.x / 32 * 32]};
}

inline Team::Team(unsigned threads, unsigned first_block)
    : all{Barrier(threads), Barrier(threads)},
      shown{Words(threads), Words(threads)},
      first_block_(first_block),
      started_(threads + 1),
      finished_(threads + 1) {
  for (unsigned begin = 0; begin < threads; begin += 32)
    warps.push_back(std::make_unique<Barrier>(std::min(32u, threads - begin)));
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this, i] { work(i); });
}

inline Team::~Team() {
  start(nullptr);
  for (std::thread& thread : threads_) thread.join();
}

inline void Team::start(const Launch* launch) {
  launch_ = launch;
  started_.wait();
}

inline void Team::work(unsigned thread) {
  this_thread() = {this, {thread, 0, 0}, {}, {}};
  for (started_.wait(); launch_ != nullptr; started_.wait()) {
    run_blocks();
    finished_.wait();
  }
}

/// One thread's way through every other block.
inline void Team::run_blocks() const {
  Thread& self = this_thread();
  const Index3 grid = self.grid = launch_->grid;
  for (unsigned block = first_block_; block < grid.x * grid.y * grid.z; block += 2) {
    self.block = {block % grid.x, block / grid.x % grid.y, block / grid.x / grid.y};
    if (self.thread.x == 0) left_out_line == 0 ? self.team->shared.poison() : self.team->shared.clear();
    wait_for_team();
    launch_->kernel();
    wait_for_team();
  }
}

/// kernel<<<grid, threads>>>(...), finished on return.
inline void launch(Index3 grid, unsigned threads, const std::function<void()>& kernel) {
  static std::map<std::pair<unsigned, unsigned>, Team> teams;
  const Launch what{grid, kernel};
  std::vector<Team*> running;
  for (unsigned first = 0; first < std::min(2u, grid.x * grid.y * grid.z); ++first) {
    running.push_back(&teams.try_emplace({threads, first}, threads, first).first->second);
    running.back()->start(&what);
  }
  for (Team* team : running) team->finish();
}

}  // namespace carryover::cuda_on_cpu

#include "tests/support/kernels/cuda_names.h"

#define __syncthreads() ::carryover::cuda_on_cpu::wait_for_block(__LINE__)
