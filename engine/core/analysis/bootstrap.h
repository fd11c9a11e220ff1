// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cmath>
#include <cstdint>
#include <span>

namespace carryover {

/// Fewer samples than this have no interval: tables show their number instead.
inline constexpr std::int64_t kFewestForInterval = 5;

/// A mean with the bounds between which it falls when the data are drawn again. The bounds are NaN where there are too
/// few samples for an interval.
struct MeanInterval {
  double mean = 0, low = 0, high = 0;
  bool has_bounds() const { return std::isfinite(low) && std::isfinite(high); }
  bool operator==(const MeanInterval&) const = default;
};

struct BootstrapPlan {
  std::int64_t block = 32;  ///< neighbours that are drawn together: losses of neighbouring tokens hang together
  int resamples = 2000;
  double level = 0.95;
  std::uint64_t seed = 1;
};

/// Mean of `values` with the percentile interval of a circular block bootstrap: blocks of neighbours are drawn with
/// replacement until there are as many values again. A block is at most a quarter of the values, so that there are some
/// to draw from. Paired differences give a paired interval. Nothing for no values: all zero; no bounds for fewer than
/// kFewestForInterval. The same seed gives the same bounds on every machine. Pure; any thread.
MeanInterval bootstrap_mean(std::span<const float> values, const BootstrapPlan& plan = {});

}  // namespace carryover
