// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QColor>
#include <QString>
#include <limits>
#include <vector>

#include "widgets/compare/state/run_comparison.h"

namespace carryover {

/// The value by which a ribbon's cells are coloured.
enum class RibbonValue { Loss, Perplexity, CarryNorm, Hits, LossChange };

/// A value for each segment of a run, and the colours of the chosen one. GUI thread.
class RibbonValues {
 public:
  struct Values {
    double loss, carry_norm, hits;
    double loss_change = std::numeric_limits<double>::quiet_NaN();  ///< against the pinned run, nats a target
  };

  void clear();
  void append(const SegmentDigest& digest);
  /// Fills in loss_change from segment `first` on; null: nothing is pinned.
  void compare(const RunComparison* comparison, int first);
  void choose(RibbonValue value);

  int count() const { return static_cast<int>(values_.size()); }
  const Values& of(int segment) const { return values_[static_cast<std::size_t>(segment)]; }
  double value(int segment) const;   ///< the chosen one; NaN where it has none
  QColor colour(int segment) const;  ///< invalid where it has none
  QString scale_text() const;        ///< the colours' range; empty where there is nothing to colour

 private:
  void update_scale();
  void widen_scale(int first);  ///< by the segments from `first` on

  RibbonValue chosen_ = RibbonValue::Loss;
  std::vector<Values> values_;
  double least_ = std::numeric_limits<double>::infinity(), largest_ = -least_;
};

}  // namespace carryover
