// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <span>

#include "engine/statistics/bootstrap.h"

namespace carryover {

/// The mean over clusters (books) of paired differences, with the percentile interval of drawing whole clusters with
/// replacement, because measurements within one book are correlated. `values`: one per cluster, the mean of all that
/// was measured in it. For fewer than kFewestForInterval clusters there are no bounds. The same seed gives the same
/// bounds on every machine. Pure; any thread.
struct ClusterInterval {
  MeanInterval interval;
  std::int64_t clusters = 0, below = 0;  ///< below: number of clusters whose difference is less than 0
};
ClusterInterval bootstrap_clusters(std::span<const double> values, int resamples = 10000);

}  // namespace carryover
