// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/interval_curves.h"

#include <cmath>

#include "widgets/look/qstring.h"

namespace carryover {

void IntervalCurves::begin(const std::vector<std::string>& policies) {
  for (; pairs_ < static_cast<int>(policies.size()); ++pairs_) {
    plot_.add_curve({}, {series_colour(static_cast<std::size_t>(pairs_))});
    plot_.add_curve({}, {series_colour(static_cast<std::size_t>(pairs_)), true});
  }
  plot_.clear_curves();
  for (int curve = 0; curve < 2 * pairs_; ++curve) plot_.set_curve_visible(curve, false);
  for (std::size_t i = 0; i < policies.size(); ++i) plot_.set_curve_name(2 * static_cast<int>(i), qstring(policies[i]));
}

void IntervalCurves::add(int policy, double x, double y, const std::optional<MeanInterval>& interval) {
  plot_.append(2 * policy, x, y);
  plot_.set_curve_visible(2 * policy, true);
  if (!interval) return;
  for (const double end : {interval->low, interval->high, std::nan("")})
    plot_.append(2 * policy + 1, x, end);  // a stroke, and a gap behind it
  plot_.set_curve_visible(2 * policy + 1, true);
}

}  // namespace carryover
