// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/interval_curves.h"

#include <cmath>

#include "widgets/look/qstring.h"

namespace carryover {

void IntervalCurves::begin(const std::vector<std::string>& names) {
  const std::size_t colours = current_theme().series.size();
  for (; pairs_ < static_cast<int>(names.size()); ++pairs_) {
    const auto index = static_cast<std::size_t>(pairs_);
    plot_.add_curve({}, {series_colour(index), index >= colours});
    CurveStyle strokes{series_colour(index)};
    strokes.strokes = true;
    plot_.add_curve({}, strokes);
  }
  plot_.clear_curves();
  for (int curve = 0; curve < 2 * pairs_; ++curve) plot_.set_curve_visible(curve, false);
  for (std::size_t i = 0; i < names.size(); ++i) plot_.set_curve_name(2 * static_cast<int>(i), qstring(names[i]));
}

void IntervalCurves::add(int curve, double x, double y, const std::optional<MeanInterval>& interval) {
  plot_.append(2 * curve, x, y);
  plot_.set_curve_visible(2 * curve, true);
  if (!interval) return;
  for (const double end : {interval->low, interval->high, std::nan("")})
    plot_.append(2 * curve + 1, x, end);  // a stroke, and a gap behind it
  plot_.set_curve_visible(2 * curve + 1, true);
}

void IntervalCurves::add(int curve, double x, const MeanInterval& interval) {
  add(curve, x, interval.mean, interval.has_bounds() ? std::optional(interval) : std::nullopt);
}

void IntervalCurves::add_across(int curve, double y, const MeanInterval& interval) {
  plot_.append(2 * curve, interval.mean, y);
  plot_.set_curve_visible(2 * curve, true);
  if (!interval.has_bounds()) return;
  plot_.append(2 * curve + 1, {interval.low, interval.high}, {y, y});
  plot_.set_curve_visible(2 * curve + 1, true);
}

}  // namespace carryover
