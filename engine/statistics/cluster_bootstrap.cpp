// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/statistics/cluster_bootstrap.h"

#include <algorithm>
#include <vector>

namespace carryover {

ClusterInterval bootstrap_clusters(std::span<const double> values, int resamples) {
  const std::vector<float> narrow(values.begin(), values.end());
  BootstrapPlan plan;
  plan.block = 1;
  plan.resamples = resamples;
  return {bootstrap_mean(narrow, plan), std::ssize(values),
          std::ranges::count_if(values, [](double value) { return value < 0; })};
}

}  // namespace carryover
