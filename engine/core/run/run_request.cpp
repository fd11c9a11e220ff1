// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/run/run_request.h"

#include <cmath>

namespace carryover {

std::optional<double> RunSummary::nll_mean() const {
  if (targets == 0) return std::nullopt;
  return nll_sum / static_cast<double>(targets);
}

std::optional<double> RunSummary::ppl() const {
  const auto mean = nll_mean();
  return mean ? std::optional(std::exp(*mean)) : std::nullopt;
}

}  // namespace carryover
