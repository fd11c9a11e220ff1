// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace carryover {

/// A float map, rows × columns and row-major, that is small enough to draw.
struct Map {
  std::int64_t rows = 0, columns = 0;
  std::vector<float> values;
  float at(std::int64_t row, std::int64_t column) const {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
  bool operator==(const Map&) const = default;
};

}  // namespace carryover
