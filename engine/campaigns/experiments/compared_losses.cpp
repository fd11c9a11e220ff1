// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/experiments/compared_losses.h"

namespace carryover {

std::vector<ComparedLoss> compared_losses(const ResultsView& results) {
  std::vector<ComparedLoss> all;
  for (std::size_t comparison = 0; comparison < results.comparisons.size(); ++comparison)
    for (std::size_t length = 0; length < results.lengths.size(); ++length)
      if (const auto found =
              results.compared(results.first_model(), results.comparisons[comparison], results.lengths[length]))
        all.push_back({comparison, length, *found});
  return all;
}

}  // namespace carryover
