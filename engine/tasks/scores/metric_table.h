// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <span>
#include <string_view>

namespace carryover {

/// A score that some task gives or aggregates to.
struct Metric {
  std::string_view name;
  /// If true, each sample is right or wrong, or right in a part of what it asks for: the mean over samples is a share
  /// from 0 to 1, with Wilson's interval. Else it is a mean of degrees or amounts, with a bootstrap's interval.
  bool share;
};

std::span<const Metric> metrics();
/// Returns true if a score of this name is a share. Unknown names, which journals of other programs may have, are not.
bool is_share(std::string_view metric);

}  // namespace carryover
