// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <random>

namespace carryover {

/// numpy.random of seed() and randint(), NumPy's legacy RandomState: the same seed gives the same draws. Owner: one
/// thread.
class NumpyRandom {
 public:
  explicit NumpyRandom(std::uint32_t seed) : engine_(seed) {}

  /// randint(first, end): in [first, end), which has at most 2^32 − 1 numbers.
  std::int64_t integer(std::int64_t first, std::int64_t end);

 private:
  std::mt19937 engine_;
};

}  // namespace carryover
