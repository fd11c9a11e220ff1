// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <c10/core/Device.h>

#include <cstdint>
#include <memory>

namespace carryover {

/// Counts what LibTorch's allocators hand out on this thread, so that peaks are measured and not estimated. At most one
/// per thread. On CUDA it uses the caching allocator's own statistics. Thread: engine.
class MemoryMeter {
 public:
  explicit MemoryMeter(c10::Device device);
  ~MemoryMeter();

  std::int64_t live_bytes() const;  ///< allocated since the meter began and not freed; may be negative
  std::int64_t peak_bytes() const;  ///< highest live_bytes() since reset_peak()
  void reset_peak();
  /// Returns the most that was held at once since the meter began, regardless of reset_peak(): `weights`, which existed
  /// before, and what was allocated since. On CUDA it is the allocator's count, which includes the weights.
  std::int64_t held_peak_bytes(std::int64_t weights) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns the memory that is available without swapping: MemAvailable, limited by the cgroup and by the address space.
std::int64_t available_memory_bytes(c10::Device device);

/// Gives the allocators' free pages back to the system if they are more than `worth_keeping`, because clearing new
/// pages costs time.
void give_back_free_memory(std::int64_t worth_keeping = std::int64_t{256} << 20);

}  // namespace carryover
