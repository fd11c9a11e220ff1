// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QCoreApplication>
#include <QString>
#include <string>
#include <vector>

#include "engine/campaigns/experiments/experiment_frontier.h"

namespace carryover {

class PlotView;

/// The figure of an experiment's perplexity against attention-visible KV: a series for each setting of what attention
/// sees, a point for each recipe, and a line through the lowest perplexities. GUI thread.
class PerplexityFrontier {
  Q_DECLARE_TR_FUNCTIONS(PerplexityFrontier)
 public:
  explicit PerplexityFrontier(PlotView& plot);  ///< which has no curves; it keeps what is drawn
  /// Draws the results of the first model. Points whose perplexity no axis can show are left out.
  void draw(const ResultsView& results, std::int64_t length, const std::vector<std::string>& recipes = {});
  void clear();

 private:
  struct Point {
    FrontierCondition condition;
    double x, perplexity;
    QString recipe, evaluation;
  };
  static QString text_at(const std::vector<Point>& points, double x, double y);

  void place_points(const ResultsView& results, std::int64_t length, const std::vector<std::string>& recipes);
  void draw_points(const std::vector<std::string>& series);
  void draw_line();
  void show_all();
  QString csv() const;

  PlotView& plot_;
  std::vector<Point> points_;   ///< that are drawn, by bytes
  std::vector<QString> sizes_;  ///< on the horizontal axis
  std::size_t series_ = 0;      ///< curves for them, behind that of the line
};

}  // namespace carryover
