// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runtime/memory_meter.h"

#include <c10/core/Allocator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "engine/base/system_file.h"
#include "engine/runtime/tensor_heap.h"

namespace carryover {

namespace {

/// Receives LibTorch's report of each allocation on this thread, in its debug-info slot for profilers.
struct CpuCounter : c10::MemoryReportingInfoBase {
  void reportMemoryUsage(void*, std::int64_t bytes, std::size_t, std::size_t, c10::Device device) override {
    if (!device.is_cpu()) return;
    live += bytes;
    peak = std::max(peak, live);
  }
  bool memoryProfilingEnabled() const override { return true; }
  std::int64_t live = 0, peak = 0;
};

std::int64_t number_in(const char* file, std::int64_t fallback) {
  std::ifstream in(file);
  std::int64_t value = 0;
  return in >> value ? value : fallback;
}

/// Returns the bytes of files, such as a model's, that this control group has read: they count as used, but are dropped
/// when memory is needed.
std::int64_t group_cache_bytes() {
  std::ifstream in("/sys/fs/cgroup/memory.stat");
  std::int64_t bytes = 0, value = 0;
  for (std::string key; in >> key >> value;)
    if (key == "inactive_file" || key == "active_file") bytes += value;
  return bytes;
}

}  // namespace

struct MemoryMeter::State {
  c10::Device device;
  std::shared_ptr<CpuCounter> counter;
  std::unique_ptr<c10::DebugInfoGuard> guard;
  std::int64_t earlier_peak = 0;  ///< highest peak_bytes() before the last reset_peak()
};

MemoryMeter::MemoryMeter(c10::Device device) : state_(new State{device, nullptr, nullptr}) {
  if (!device.is_cpu()) {
    c10::getDeviceAllocator(device.type())->resetPeakStats(device.index());
    return;
  }
  state_->counter = std::make_shared<CpuCounter>();
  state_->guard = std::make_unique<c10::DebugInfoGuard>(c10::DebugInfoKind::PROFILER_STATE, state_->counter);
}

MemoryMeter::~MemoryMeter() = default;

std::int64_t MemoryMeter::live_bytes() const {
  if (state_->counter) return state_->counter->live;
  return c10::getDeviceAllocator(state_->device.type())
      ->getDeviceStats(state_->device.index())
      .allocated_bytes[0]
      .current;
}

std::int64_t MemoryMeter::peak_bytes() const {
  if (state_->counter) return state_->counter->peak;
  return c10::getDeviceAllocator(state_->device.type())->getDeviceStats(state_->device.index()).allocated_bytes[0].peak;
}

void MemoryMeter::reset_peak() {
  state_->earlier_peak = std::max(state_->earlier_peak, peak_bytes());
  if (state_->counter)
    state_->counter->peak = state_->counter->live;
  else
    c10::getDeviceAllocator(state_->device.type())->resetPeakStats(state_->device.index());
}

std::int64_t MemoryMeter::held_peak_bytes(std::int64_t weights) const {
  const std::int64_t peak = std::max(state_->earlier_peak, peak_bytes());
  return state_->counter ? weights + peak : peak;
}

std::int64_t available_memory_bytes(c10::Device device) {
  if (!device.is_cpu()) {
    c10::DeviceAllocator* allocator = c10::getDeviceAllocator(device.type());
    const auto index = static_cast<c10::DeviceIndex>(device.has_index() ? device.index() : 0);
    const auto [free, total] = allocator->getMemoryInfo(index);
    const auto available = static_cast<std::int64_t>(std::min(free, total));
    if (!allocator->initialized()) return available;
    const auto stats = allocator->getDeviceStats(index);  // freed blocks that the allocator keeps are available, too
    return available + stats.reserved_bytes[0].current - stats.allocated_bytes[0].current;
  }
  constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max() / 2;
  std::int64_t available = system_bytes("/proc/meminfo", "MemAvailable");
  if (available == 0) available = unlimited;  // unreadable, which is no reason to refuse a model
  const std::int64_t group_limit = number_in("/sys/fs/cgroup/memory.max", unlimited);
  if (group_limit != unlimited)
    available = std::min(available, group_limit - number_in("/sys/fs/cgroup/memory.current", 0) + group_cache_bytes());
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    available = std::min(available, static_cast<std::int64_t>(limit.rlim_cur) - process_bytes("VmSize"));
  return std::max<std::int64_t>(available, 0) + tensor_heap_kept_bytes();
}

void give_back_free_memory(std::int64_t worth_keeping) {
  if (tensor_heap_free_bytes() > worth_keeping) give_back_tensor_heap();
  if (static_cast<std::int64_t>(mallinfo2().fordblks) > worth_keeping) malloc_trim(0);
}

}  // namespace carryover
