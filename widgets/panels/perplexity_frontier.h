// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QCoreApplication>
#include <QString>
#include <string>
#include <vector>

#include "engine/experiments/experiment_frontier.h"

namespace carryover {

class PlotView;

/// The figure of an experiment's perplexity against the keys and values that attention sees: a series for each setting
/// of what it sees, a point for each recipe, and a line through the points that none with at most as many bytes beats.
/// GUI thread.
class PerplexityFrontier {
  Q_DECLARE_TR_FUNCTIONS(PerplexityFrontier)
 public:
  explicit PerplexityFrontier(PlotView& plot);  ///< which has no curves; it keeps what is drawn
  /// Of the first model. Points whose perplexity no axis can show are left out.
  void draw(const ResultsView& results, std::int64_t length, const std::vector<std::string>& recipes = {});

 private:
  void begin(std::size_t series);
  void add_points(const std::vector<std::string>& series);
  void add_line();
  void show_all();
  void name_points(const ResultsView& results);
  struct Point {
    FrontierCondition condition;
    double x, perplexity;
    QString name;  ///< recipe and evaluation
  };
  static QString text_at(const std::vector<Point>& points, double x, double y);

  PlotView& plot_;
  std::vector<Point> points_;  ///< that are drawn, by bytes
  std::size_t series_ = 0;     ///< curves for them, behind that of the line
};

}  // namespace carryover
