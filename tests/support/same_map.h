// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cmath>

#include "engine/runs/values/map.h"

namespace carryover::test {

/// Returns true if two maps have the same values in the same places; NaN equals NaN.
inline bool same_map(const Map& a, const Map& b) {
  const auto same = [](float x, float y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  return a.rows == b.rows && a.columns == b.columns && std::ranges::equal(a.values, b.values, same);
}

}  // namespace carryover::test
