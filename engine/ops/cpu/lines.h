// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace carryover::ops {

inline std::int64_t round_up(std::int64_t n, std::int64_t to) {
  return (n + to - 1) / to * to;
}

/// Allocates memory that begins at a cache line, which has the size of a register: a read across two lines takes twice
/// as long.
template <typename T>
struct OnLines {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};
  OnLines() = default;
  template <typename Other>
  OnLines(const OnLines<Other>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kLine)); }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, kLine); }
  bool operator==(const OnLines&) const { return true; }
};
template <typename T>
using Lines = std::vector<T, OnLines<T>>;

}  // namespace carryover::ops
