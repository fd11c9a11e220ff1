// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <c10/core/Device.h>

#include <cstdint>
#include <memory>

namespace carryover {

/// Counts what LibTorch's allocators hand out on this thread, so that peaks are measured and not estimated. One at a
/// time per thread. On CUDA the caching allocator's own statistics serve. Thread: engine.
class MemoryMeter {
 public:
  explicit MemoryMeter(c10::Device device);
  ~MemoryMeter();

  std::int64_t live_bytes() const;  ///< allocated since the meter began and not freed; may be negative
  std::int64_t peak_bytes() const;  ///< highest live_bytes() since reset_peak()
  void reset_peak();
  /// The most that was held at once since the meter began, whatever reset_peak() forgot: `weights`, which were there
  /// before, and what was allocated since. On CUDA the allocator's count, which has the weights already.
  std::int64_t held_peak_bytes(std::int64_t weights) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What can be had without swapping: MemAvailable, within the cgroup's limit and the address-space limit.
std::int64_t available_memory_bytes(c10::Device device);

/// Gives the allocators' free pages back to the system, where they are more than `worth_keeping`: clearing fresh ones
/// costs time.
void give_back_free_memory(std::int64_t worth_keeping = std::int64_t{256} << 20);

}  // namespace carryover
