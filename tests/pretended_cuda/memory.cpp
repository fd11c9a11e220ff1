// SPDX-License-Identifier: GPL-3.0-or-later
// Allocations, copies and fills. Kernels compute nothing, so no contents are kept: whatever the host copies is zero.
#include "tests/pretended_cuda/memory.h"

#include <cuda_runtime_api.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>

#include "tests/pretended_cuda/report.h"
#include "tests/pretended_cuda/status.h"

namespace carryover::pretended {

namespace {

constexpr std::size_t space_bytes = std::size_t{79} << 30, unit = 512;

class Space {
 public:
  Space() {
    void* const mapped = mmap(nullptr, space_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) std::abort();
    first_ = static_cast<char*>(mapped);
    free_[0] = space_bytes;
  }

  bool holds(const void* pointer) const { return pointer >= first_ && pointer < first_ + space_bytes; }

  void* allocate(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    bytes = (bytes + unit - 1) / unit * unit;
    for (auto block = free_.begin(); block != free_.end(); ++block) {
      const auto [offset, size] = *block;
      if (size < bytes) continue;
      free_.erase(block);
      if (size > bytes) free_[offset + bytes] = size - bytes;
      used_[offset] = bytes;
      used_bytes_ += bytes;
      if (used_bytes_ > peak_) peak_ = used_bytes_;
      return first_ + offset;
    }
    return nullptr;
  }

  /// False where no allocation begins at `pointer`.
  bool release(const void* pointer) {
    const std::scoped_lock lock(mutex_);
    const auto block = holds(pointer) ? used_.find(offset_of(pointer)) : used_.end();
    if (block == used_.end()) return false;
    used_bytes_ -= block->second;
    join_free(free_.emplace(*block).first);
    used_.erase(block);
    return true;
  }

  bool is_held(const void* pointer, std::size_t bytes) const {
    if (!holds(pointer)) return false;
    const std::scoped_lock lock(mutex_);
    const std::size_t offset = offset_of(pointer);
    auto block = used_.upper_bound(offset);
    if (block == used_.begin()) return false;
    --block;
    return offset + bytes <= block->first + block->second && offset < block->first + block->second;
  }

  std::size_t free_bytes() const {
    const std::scoped_lock lock(mutex_);
    return space_bytes - used_bytes_;
  }
  std::size_t peak() const {
    const std::scoped_lock lock(mutex_);
    return peak_;
  }

 private:
  using Blocks = std::map<std::size_t, std::size_t>;  ///< offset → bytes

  std::size_t offset_of(const void* pointer) const {
    return static_cast<std::size_t>(static_cast<const char*>(pointer) - first_);
  }
  void join_free(Blocks::iterator block) {
    const auto next = std::next(block);
    if (next != free_.end() && block->first + block->second == next->first) {
      block->second += next->second;
      free_.erase(next);
    }
    if (block == free_.begin()) return;
    const auto before = std::prev(block);
    if (before->first + before->second != block->first) return;
    before->second += block->second;
    free_.erase(block);
  }

  char* first_;
  mutable std::mutex mutex_;
  Blocks free_, used_;
  std::size_t used_bytes_ = 0, peak_ = 0;
};

/// Never freed: other libraries free their memory when the program ends.
Space& space() {
  static Space& instance = *new Space;
  return instance;
}

void stop_the_host(int signal, siginfo_t* what, void*) {
  std::signal(signal, SIG_DFL);
  if (!space().holds(what->si_addr)) return;  // its own fault: it comes again
  constexpr char message[] = "pretended CUDA: the host reads or writes device memory\n";
  if (write(STDERR_FILENO, message, sizeof message - 1) < 0) std::abort();
  std::abort();
}

/// Runs before the program's main().
[[gnu::constructor]] void watch_the_host() {
  space();
  struct sigaction action {};
  action.sa_sigaction = stop_the_host;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
}

/// Checks one end of a copy against the copy's kind: it must be device memory if `expected`, else host memory.
void check_end(const char* what, const void* pointer, std::size_t bytes, bool expected) {
  if (space().holds(pointer) != expected)
    complain("a copy's %s is %s memory, and its kind says otherwise", what, expected ? "host" : "device");
  else if (expected)
    pretended_cuda_check(what, pointer, static_cast<std::int64_t>(bytes));
}

cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (bytes == 0) return cudaSuccess;
  const bool to_device = space().holds(to), from_device = space().holds(from);
  if (kind == cudaMemcpyDefault) kind = cudaMemcpyKind(2 * from_device + to_device);
  check_end("destination", to, bytes, kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice);
  check_end("source", from, bytes, kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice);
  if (to_device) count(from_device ? Count::CopiesOnDevice : Count::CopiesToDevice);
  if (!to_device && from_device) count(Count::CopiesToHost);
  if (!to_device) from_device ? std::memset(to, 0, bytes) : std::memcpy(to, from, bytes);
  return cudaSuccess;
}

cudaError_t fill(const void* to, std::size_t bytes) {
  if (bytes == 0) return cudaSuccess;
  count(Count::Fills);
  pretended_cuda_check("what is filled", to, static_cast<std::int64_t>(bytes));
  return cudaSuccess;
}

}  // namespace

bool is_device_address(const void* pointer) {
  return space().holds(pointer);
}

bool is_held(const void* pointer, std::int64_t bytes) {
  return bytes >= 0 && space().is_held(pointer, static_cast<std::size_t>(bytes));
}

std::int64_t peak_bytes() {
  return static_cast<std::int64_t>(space().peak());
}

}  // namespace carryover::pretended

using namespace carryover::pretended;

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  count(Count::Allocations);
  *pointer = space().allocate(bytes);
  return passed_on(*pointer != nullptr ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaFree(void* pointer) {
  if (pointer == nullptr || space().release(pointer)) return cudaSuccess;
  complain("cudaFree of %p, where no allocation begins", pointer);
  return passed_on(cudaErrorInvalidValue);
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  *free = space().free_bytes();
  *total = space_bytes;
  return cudaSuccess;
}

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned) {
  count(Count::Allocations);
  *pointer = std::malloc(bytes);
  return passed_on(*pointer != nullptr ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaFreeHost(void* pointer) {
  std::free(pointer);
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  *attributes = {};
  attributes->type = space().holds(pointer) ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
  attributes->devicePointer = const_cast<void*>(pointer);
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  count(Count::Waits);
  return copy(to, from, bytes, kind);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
  return copy(to, from, bytes, kind);
}

cudaError_t cudaMemset(void* to, int, size_t bytes) {
  return fill(to, bytes);
}

cudaError_t cudaMemsetAsync(void* to, int, size_t bytes, cudaStream_t) {
  return fill(to, bytes);
}
}
