// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <span>

#include "engine/core/analysis/bootstrap.h"

namespace carryover {

/// A mean over clusters (books) of paired differences, with the percentile interval of drawing whole clusters with
/// replacement: what is measured within one book hangs together. `values`: one a cluster, the mean of all that was
/// measured in it. No bounds for fewer than kFewestForInterval clusters. The same seed gives the same bounds on every
/// machine. Pure; any thread.
struct ClusterInterval {
  MeanInterval interval;
  std::int64_t clusters = 0, below = 0;  ///< below: clusters whose difference is under 0
};
ClusterInterval bootstrap_clusters(std::span<const double> values, int resamples = 10000);

}  // namespace carryover
