// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/campaigns/lost_sinks_plot.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "widgets/look/csv_text.h"
#include "widgets/look/qstring.h"
#include "widgets/look/quantity_text.h"
#include "widgets/plot/plot_view.h"

namespace carryover {
namespace {

struct LostSinksPlot {
  Q_DECLARE_TR_FUNCTIONS(LostSinksPlot)
};

struct LostSinksPoint {
  QString recipe, evaluation;
  double percent, perplexity;
};

/// A segment that reads no prefix begins a text of its own, and loses nothing.
bool reads_a_prefix(const ResultsView::Run& run) {
  return run.policy == "segmented" && run.carry + run.retrieved > 0;
}

std::vector<LostSinksPoint> lost_sinks_points(const ResultsView& results, std::int64_t length) {
  std::vector<LostSinksPoint> points;
  const std::string model = results.first_model();
  for (const ResultsView::Condition& condition : results.conditions(model)) {
    const auto loss = results.mean_loss(model, condition, length);
    const auto lost = results.sinks_lost(model, condition);
    if (!loss || !lost || !reads_a_prefix(*results.runs_of(model, condition).front())) continue;
    if (const double perplexity = std::exp(*loss); std::isfinite(perplexity))
      points.push_back({shown_text(results.title_of(results.recipes, condition.recipe), 80),
                        shown_text(results.title_of(results.evaluations, condition.evaluation), 80),
                        100 * lost->interval.mean, perplexity});
  }
  return points;
}

QString csv_of(const std::vector<LostSinksPoint>& points) {
  QString csv = QStringLiteral("recipe,evaluation,lost_sinks_percent,perplexity\n");
  for (const LostSinksPoint& point : points)
    csv += QStringLiteral("%1,%2,%3,%4\n")
               .arg(csv_quoted(point.recipe), csv_quoted(point.evaluation), exact_number(point.percent),
                    exact_number(point.perplexity));
  return csv;
}

}  // namespace

void draw_lost_sinks(PlotView& plot, const ResultsView& results, std::int64_t length) {
  plot.set_title(LostSinksPlot::tr("Perplexity at %1 tokens against lost attention sinks").arg(count_text(length)));
  plot.set_axes(LostSinksPlot::tr("Segments that lost their attention sink (%)"), LostSinksPlot::tr("Perplexity"));
  plot.set_x_range(0, 100);
  plot.set_empty_text(LostSinksPlot::tr("No run with a carry or retrieval measured its attention sinks"));
  const std::vector<LostSinksPoint> points = lost_sinks_points(results, length);
  const bool one_evaluation =
      std::ranges::all_of(points, [&](const auto& point) { return point.evaluation == points.front().evaluation; });
  const std::size_t colours = current_theme().series.size();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const LostSinksPoint& point = points[i];
    const int curve =
        plot.add_curve(one_evaluation ? point.recipe : LostSinksPlot::tr("%1: %2").arg(point.recipe, point.evaluation),
                       {series_colour(i), i >= colours, false, false, true});
    plot.append(curve, point.percent, point.perplexity);
  }
  plot.set_csv_source([csv = csv_of(points)] { return csv; });
}

}  // namespace carryover
