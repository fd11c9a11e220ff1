// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cmath>
#include <cstdint>
#include <span>

namespace carryover {

/// The smallest number of samples that have an interval. For fewer, tables show the number of samples instead.
inline constexpr std::int64_t kFewestForInterval = 5;

/// A mean with the bounds of its interval: the mean falls between them when the data are drawn again. The bounds are
/// NaN if there are too few samples for an interval.
struct MeanInterval {
  double mean = 0, low = 0, high = 0;
  bool has_bounds() const { return std::isfinite(low) && std::isfinite(high); }
  bool operator==(const MeanInterval&) const = default;
};

struct BootstrapPlan {
  std::int64_t block = 32;  ///< number of neighbours that are drawn together, because losses of neighbouring tokens are
                            ///< correlated
  int resamples = 2000;
  double level = 0.95;
  std::uint64_t seed = 1;
};

/// Returns the mean of `values` with the percentile interval of a circular block bootstrap: blocks of neighbours are
/// drawn with replacement until there are as many values again. A block has at most a quarter of the values, so that
/// there are several to draw from. Paired differences give a paired interval. Without values all is zero; for fewer
/// than kFewestForInterval there are no bounds. The same seed gives the same bounds on every machine. Pure; any thread.
MeanInterval bootstrap_mean(std::span<const float> values, const BootstrapPlan& plan = {});

}  // namespace carryover
