// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QCoreApplication>
#include <QString>
#include <string>
#include <vector>

#include "engine/experiments/results_view.h"
#include "widgets/plot/interval_curves.h"

namespace carryover {

/// The figure of an experiment's comparisons: the difference of the loss by length, a curve each, with 95 % intervals.
/// GUI thread.
class ComparedLosses {
  Q_DECLARE_TR_FUNCTIONS(ComparedLosses)
 public:
  explicit ComparedLosses(PlotView& plot);  ///< which has no curves; it keeps what is drawn
  /// Of the first model; `titles` of the comparisons, none: all. Those without a book on both sides are left out.
  void draw(const ResultsView& results, const std::vector<std::string>& titles = {});

 private:
  struct Point {
    QString title;
    std::int64_t length;
    ClusterInterval difference;
    double x;
  };
  static QString text_at(const std::vector<Point>& points, double x, double y);
  static QString csv_of(const std::vector<Point>& points);

  PlotView& plot_;
  IntervalCurves curves_;
};

}  // namespace carryover
