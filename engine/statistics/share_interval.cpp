// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/statistics/share_interval.h"

#include <algorithm>
#include <limits>

namespace carryover {

MeanInterval wilson_interval(double share, double samples) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (!(samples >= static_cast<double>(kFewestForInterval)) || !(share >= 0 && share <= 1))
    return {share, kNone, kNone};
  constexpr double kNormal95 = 1.959963984540054, kSquare = kNormal95 * kNormal95;
  const double scale = 1 + kSquare / samples, centre = (share + kSquare / (2 * samples)) / scale;
  const double half = kNormal95 / scale * std::sqrt(share * (1 - share) / samples + kSquare / (4 * samples * samples));
  // The bounds of shares 0 and 1 are exact; the sums may miss them by a rounding error.
  return {share, share == 0 ? 0 : std::max(0.0, centre - half), share == 1 ? 1 : std::min(1.0, centre + half)};
}

}  // namespace carryover
