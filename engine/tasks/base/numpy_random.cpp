// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/base/numpy_random.h"

#include <bit>

#include "engine/base/error.h"

namespace carryover {

std::int64_t NumpyRandom::integer(std::int64_t first, std::int64_t end) {
  const auto largest = static_cast<std::uint64_t>(end - first) - 1;
  CARRYOVER_CHECK(end > first && largest < 0xffffffffu);
  if (largest == 0) return first;  // without a draw
  const std::uint64_t mask = (std::uint64_t{1} << std::bit_width(largest)) - 1;
  std::uint64_t value = engine_() & mask;
  while (value > largest) value = engine_() & mask;
  return first + static_cast<std::int64_t>(value);
}

}  // namespace carryover
