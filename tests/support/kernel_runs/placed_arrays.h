// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays at the addresses that a kernel is given, between bytes that it must leave alone.
#pragma once
#include <algorithm>
#include <deque>

#include "tests/support/kernels/kernel_cases.h"

namespace carryover::kernel_runs {

using kernel_cases::Bytes;
using kernel_cases::Draw;

/// With placement 0 each array begins at a multiple of 16 bytes, as a tensor's does. With another, one array in ten
/// begins some elements later, as a view's may: which, is a function of the placement.
class PlacedArrays {
 public:
  explicit PlacedArrays(int placement) : shifts_(placement != 0), draw_(static_cast<std::uint64_t>(placement)) {}

  /// A copy of `bytes`.
  std::byte* input(const Bytes& bytes, std::int64_t element_bytes) {
    std::byte* const begin = output(bytes.size(), element_bytes);
    std::copy(bytes.begin(), bytes.end(), begin);
    return begin;
  }

  /// Returns an array that is NaN or a huge number wherever nothing is written.
  std::byte* output(std::size_t size, std::int64_t element_bytes) {
    const std::int64_t shift = shifts_ && draw_.chance(10) ? draw_.whole(1, 3) * element_bytes : 0;
    Array& array = arrays_.emplace_back(
        Array{Bytes(static_cast<std::size_t>(shift) + size + guard, untouched), static_cast<std::size_t>(shift), size});
    return array.storage.data() + shift;
  }

  /// Returns true if nothing was written around an array.
  bool intact() const {
    const auto is_intact = [](const Array& array) {
      const auto begin = array.storage.begin() + static_cast<std::ptrdiff_t>(array.shift);
      const auto is_untouched = [](std::byte value) { return value == untouched; };
      return std::all_of(array.storage.begin(), begin, is_untouched) &&
             std::all_of(begin + static_cast<std::ptrdiff_t>(array.size), array.storage.end(), is_untouched);
    };
    return std::all_of(arrays_.begin(), arrays_.end(), is_intact);
  }

 private:
  static constexpr std::size_t guard = 16;
  static constexpr std::byte untouched{0x7f};
  struct Array {
    Bytes storage;
    std::size_t shift, size;
  };
  bool shifts_;
  Draw draw_;
  std::deque<Array> arrays_;
};

}  // namespace carryover::kernel_runs
