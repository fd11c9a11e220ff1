// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runtime/tensor_heap.h"

#include <c10/core/CPUAllocator.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace carryover {

namespace {

constexpr std::size_t kLeast = 256 << 10;  ///< smaller blocks are left to LibTorch's own allocator
constexpr std::size_t kHugePage = 2 << 20;
constexpr std::size_t kGrowth = 64 << 20;  ///< address space that is mapped at a time; pages come when they are first
                                           ///< written
constexpr std::size_t kLine = 64;          ///< a cache line, to which LibTorch's tensors are aligned

std::size_t rounded_up(std::size_t bytes, std::size_t to) {
  return (bytes + to - 1) / to * to;
}

void* map_pages(void* where, std::size_t bytes, int more_flags) {
  void* pages = mmap(where, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | more_flags, -1, 0);
  return pages == MAP_FAILED ? nullptr : pages;
}

/// Ranges of addresses, allocated by best fit, and joined with free neighbours when they are returned. The heap grows
/// downwards, as the kernel's own mappings do, so that a new piece joins what is free at its lower end.
class Heap {
 public:
  void* take(std::size_t wanted) {
    // Takes a line more than needed: otherwise blocks of a power of two would all begin at the same place of a page, of
    // which caches hold few.
    const std::size_t bytes = rounded_up(wanted, kLine) + kLine;
    const std::lock_guard lock(mutex_);
    auto best = best_fit(bytes);
    if (best == free_.end() && grow(bytes)) best = best_fit(bytes);
    if (best == free_.end()) return nullptr;
    best->second -= bytes;
    const Address block = best->first + best->second;  // the upper end, so that the rest joins the next piece
    if (best->second == 0) free_.erase(best);
    free_bytes_ -= bytes;
    used_.emplace(block, bytes);
    return reinterpret_cast<void*>(block);
  }

  /// Returns a block to the heap; returns false if the block is not of this heap.
  bool give(void* block) {
    const std::lock_guard lock(mutex_);
    const auto found = used_.find(reinterpret_cast<Address>(block));
    if (found == used_.end()) return false;
    add_free(found->first, found->second);
    used_.erase(found);
    return true;
  }

  void give_back() {
    const std::lock_guard lock(mutex_);
    const Ranges ranges = std::move(free_);
    free_.clear();
    for (const auto& [first, bytes] : ranges) {
      const Address begin = rounded_up(first, kHugePage), end = (first + bytes) / kHugePage * kHugePage;
      free_bytes_ -= bytes;
      if (begin >= end || munmap(reinterpret_cast<void*>(begin), end - begin) != 0) {
        add_free(first, bytes);
        continue;
      }
      mapped_ -= end - begin;
      if (lowest_ == begin) lowest_ = end;
      if (first < begin) add_free(first, begin - first);
      if (end < first + bytes) add_free(end, first + bytes - end);
    }
    if (mapped_ == 0) lowest_ = 0;
  }

  std::size_t kept() {
    const std::lock_guard lock(mutex_);
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    std::size_t pages = 0;
    for (const auto& [first, bytes] : free_) {
      const Address begin = rounded_up(first, page), end = (first + bytes) / page * page;
      if (begin >= end) continue;
      std::vector<unsigned char> resident((end - begin) / page);
      if (mincore(reinterpret_cast<void*>(begin), end - begin, resident.data()) != 0) continue;
      pages += static_cast<std::size_t>(
          std::count_if(resident.begin(), resident.end(), [](unsigned char flags) { return (flags & 1) != 0; }));
    }
    return pages * page;
  }
  std::size_t mapped() const { return mapped_; }
  std::size_t free_bytes() const { return free_bytes_; }

 private:
  using Address = std::uintptr_t;
  using Ranges = std::map<Address, std::size_t>;

  Ranges::iterator best_fit(std::size_t bytes) {
    auto best = free_.end();
    for (auto range = free_.begin(); range != free_.end(); ++range)
      if (range->second >= bytes && (best == free_.end() || range->second < best->second)) best = range;
    return best;
  }

  void add_free(Address first, std::size_t bytes) {
    free_bytes_ += bytes;
    const auto after = free_.lower_bound(first);
    if (after != free_.end() && first + bytes == after->first) {
      bytes += after->second;
      free_.erase(after);
    }
    const auto behind = free_.lower_bound(first);
    if (behind != free_.begin()) {
      const auto before = std::prev(behind);
      if (before->first + before->second == first) {
        before->second += bytes;
        return;
      }
    }
    free_.emplace(first, bytes);
  }

  bool grow(std::size_t bytes) {
    const auto lowest = free_.find(lowest_);
    const std::size_t joined = lowest == free_.end() ? 0 : lowest->second;
    for (const std::size_t least : {kGrowth, kHugePage}) {
      if (lowest_ != 0) {
        const std::size_t more = rounded_up(std::max(bytes - joined, least), kHugePage);
        void* below = reinterpret_cast<void*>(lowest_ - more);
        if (void* pages = map_pages(below, more, MAP_FIXED_NOREPLACE); pages == below) return add_pages(pages, more);
      }
      if (grow_apart(rounded_up(std::max(bytes, least), kHugePage))) return true;
    }
    return false;
  }

  /// Maps memory where the kernel chooses, and a huge page more, so that the piece can begin with a huge page.
  bool grow_apart(std::size_t bytes) {
    void* pages = map_pages(nullptr, bytes + kHugePage, 0);
    if (pages == nullptr) return false;
    const auto first = reinterpret_cast<Address>(pages);
    const Address begin = rounded_up(first, kHugePage);
    if (begin > first) munmap(pages, begin - first);
    if (begin < first + kHugePage) munmap(reinterpret_cast<void*>(begin + bytes), first + kHugePage - begin);
    return add_pages(reinterpret_cast<void*>(begin), bytes);
  }

  bool add_pages(void* pages, std::size_t bytes) {
    madvise(pages, bytes, MADV_HUGEPAGE);  // if the kernel has no huge pages, pages are small
    lowest_ = reinterpret_cast<Address>(pages);
    mapped_ += bytes;
    add_free(lowest_, bytes);
    return true;
  }

  std::mutex mutex_;
  Ranges free_;
  std::unordered_map<Address, std::size_t> used_;
  Address lowest_ = 0;
  std::atomic<std::size_t> mapped_ = 0, free_bytes_ = 0;
};

/// Returns the heap, which lives as long as the process: tensors of static objects are freed late.
Heap& heap() {
  static Heap& one = *new Heap;
  return one;
}

void release(void* block) {
  if (!heap().give(block)) {
    c10::GetDefaultCPUAllocator()->raw_deleter()(block);
    return;
  }
  c10::profiledCPUMemoryReporter().Delete(block);
}

class TensorHeap final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    if (bytes < kLeast) return c10::GetDefaultCPUAllocator()->allocate(bytes);
    void* block = heap().take(bytes);
    // Throws where LibTorch's own allocator would end the process.
    TORCH_CHECK_WITH(OutOfMemoryError, block != nullptr, "can't allocate ", bytes, " bytes");
    c10::profiledCPUMemoryReporter().New(block, bytes);
    return {block, block, &release, c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override { default_copy_data(to, from, bytes); }
};

}  // namespace

void use_tensor_heap() {
  static TensorHeap& allocator = *new TensorHeap;
  static const bool set = (c10::SetCPUAllocator(&allocator), true);
  static_cast<void>(set);
}

std::int64_t tensor_heap_bytes() {
  return static_cast<std::int64_t>(heap().mapped());
}
std::int64_t tensor_heap_free_bytes() {
  return static_cast<std::int64_t>(heap().free_bytes());
}
std::int64_t tensor_heap_kept_bytes() {
  return static_cast<std::int64_t>(heap().kept());
}
void give_back_tensor_heap() {
  heap().give_back();
}

}  // namespace carryover
