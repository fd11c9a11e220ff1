// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <limits>

namespace carryover {

/// Converts a count to a factor of an estimate. Pure.
constexpr double real(std::int64_t value) {
  return static_cast<double>(value);
}

/// Converts an estimate to a count; an estimate beyond the largest count gives the largest count. Pure.
constexpr std::int64_t saturated(double value) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  return value >= static_cast<double>(most) ? most : static_cast<std::int64_t>(value);
}

}  // namespace carryover
