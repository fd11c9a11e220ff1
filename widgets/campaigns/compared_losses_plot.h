// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QCoreApplication>
#include <QString>
#include <vector>

#include "engine/campaigns/experiments/compared_losses.h"
#include "widgets/plot/interval_curves.h"

namespace carryover {

/// The figure of an experiment's comparisons, with 95 % intervals: the difference of the loss by length, a curve each;
/// where there is one length, a row each. GUI thread.
class ComparedLosses {
  Q_DECLARE_TR_FUNCTIONS(ComparedLosses)
 public:
  explicit ComparedLosses(PlotView& plot);  ///< which has no curves; it keeps what is drawn
  /// `chosen`: places of comparisons in the results; none: all.
  void draw(const ResultsView& results, const std::vector<ComparedLoss>& compared,
            const std::vector<std::size_t>& chosen = {});
  void clear();

 private:
  struct Point {
    int curve;      ///< of its comparison, counted among those that are drawn: also the row, where there is one length
    QString title;  ///< of the comparison
    std::int64_t length;
    ClusterInterval difference;
    double across;  ///< place of the length
  };
  static QString text_of(const Point* point);
  static QString csv_of(const std::vector<Point>& points);
  void draw_by_length(const std::vector<Point>& points, const std::vector<std::int64_t>& lengths);
  void draw_rows(const std::vector<Point>& points);

  PlotView& plot_;
  IntervalCurves curves_;
};

}  // namespace carryover
