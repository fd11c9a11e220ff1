// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <limits>

namespace carryover {

/// A count as a factor of an estimate. Pure.
constexpr double real(std::int64_t value) {
  return static_cast<double>(value);
}

/// The count of an estimate, which may be beyond all counts. Pure.
constexpr std::int64_t saturated(double value) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  return value >= static_cast<double>(most) ? most : static_cast<std::int64_t>(value);
}

}  // namespace carryover
