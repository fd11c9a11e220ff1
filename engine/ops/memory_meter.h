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

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Peak resident set of the process.
std::int64_t process_peak_bytes();
/// What can be had without swapping: MemAvailable, within the cgroup's limit and the address-space limit.
std::int64_t available_memory_bytes(c10::Device device);

/// Gives the allocator's free pages back to the system, where they are more than 256 MB: clearing fresh ones costs
/// time.
void give_back_free_memory();

}  // namespace carryover
