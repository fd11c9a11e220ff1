// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>

namespace carryover {

/// A count as a factor of an estimate. Pure.
constexpr double real(std::int64_t value) {
  return static_cast<double>(value);
}

}  // namespace carryover
