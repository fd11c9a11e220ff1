// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/perplexity_frontier.h"

#include <algorithm>
#include <cmath>

#include "widgets/look/csv_text.h"
#include "widgets/look/qstring.h"
#include "widgets/plot/plot_view.h"
#include "widgets/state/quantity_text.h"

namespace carryover {
namespace {

constexpr double lowest_drawn = 1e-9, highest_drawn = 1e100;  ///< beyond, a logarithmic axis has no room

}  // namespace

PerplexityFrontier::PerplexityFrontier(PlotView& plot) : plot_(plot) {
  plot_.set_empty_text(tr("No evaluation is finished"));
  plot_.set_log_y(true);  // a difference of the loss is as high everywhere
  plot_.add_curve(tr("lowest for its bytes"), {[](const Theme& theme) { return theme.muted; }, true});
}

void PerplexityFrontier::begin(std::size_t series) {
  const std::size_t colours = current_theme().series.size();
  for (; series_ < series; ++series_)
    plot_.add_curve({}, {series_colour(series_), series_ >= colours, false, false, true});
  plot_.clear_curves();
  for (std::size_t i = 0; i < series_; ++i) plot_.set_curve_visible(static_cast<int>(i) + 1, i < series);
}

/// Bytes in even steps: a setting often sees twice what another one sees.
void PerplexityFrontier::draw(const ResultsView& results, std::int64_t length,
                              const std::vector<std::string>& recipes) {
  const std::string model = results.models.empty() ? "" : results.models.front().name;
  points_.clear();
  std::vector<QString> sizes;
  std::vector<std::string> series;
  for (const FrontierCondition& one : experiment_frontier(results, model, length, recipes).conditions) {
    const double perplexity = std::exp(one.loss);
    if (!(perplexity >= lowest_drawn && perplexity <= highest_drawn)) continue;
    if (const QString size = bytes_text(static_cast<std::int64_t>(one.bytes)); sizes.empty() || sizes.back() != size)
      sizes.push_back(size);
    if (std::ranges::find(series, one.settings) == series.end()) series.push_back(one.settings);
    points_.push_back({one, static_cast<double>(sizes.size() - 1), perplexity, {}});
  }
  begin(series.size());
  add_points(series);
  add_line();
  name_points(results);
  plot_.set_title(tr("Perplexity at %1 tokens against visible KV").arg(count_text(length)));
  plot_.set_x_names(sizes);
  show_all();
  plot_.set_axes(tr("Keys and values that attention sees"), tr("Perplexity"));
}

void PerplexityFrontier::add_points(const std::vector<std::string>& series) {
  for (std::size_t i = 0; i < series.size(); ++i) {
    const int curve = static_cast<int>(i) + 1;
    plot_.set_curve_name(curve, shown_text(series[i], 60));
    for (const Point& point : points_)
      if (point.condition.settings == series[i]) plot_.append(curve, point.x, point.perplexity);
  }
}

/// Level up to the bytes at which a lower perplexity is reached, and down there.
void PerplexityFrontier::add_line() {
  double level = NAN;
  for (const Point& point : points_) {
    if (!point.condition.best) continue;
    if (std::isfinite(level)) plot_.append(0, point.x, level);
    plot_.append(0, point.x, level = point.perplexity);
  }
  if (std::isfinite(level)) plot_.append(0, points_.back().x, level);
}

/// No point on an edge.
void PerplexityFrontier::show_all() {
  if (points_.empty()) return plot_.set_extent({});
  const auto [low, high] = std::ranges::minmax(points_, {}, &Point::perplexity);
  plot_.set_extent(QRectF(QPointF(-0.5, low.perplexity),
                          QPointF(points_.back().x + 0.5, std::max(high.perplexity, 1.01 * low.perplexity))));
}

void PerplexityFrontier::name_points(const ResultsView& results) {
  QString csv = QStringLiteral("recipe,evaluation,settings,visible_kv_bytes,loss,perplexity,lowest\n");
  for (Point& point : points_) {
    const FrontierCondition& one = point.condition;
    const QString recipe = shown_text(results.title_of(results.recipes, one.condition.recipe), 80);
    const QString evaluation = shown_text(results.title_of(results.evaluations, one.condition.evaluation), 80);
    point.name = tr("%1: %2").arg(recipe, evaluation);
    csv += QStringLiteral("%1,%2,%3,%4,%5,%6,%7\n")
               .arg(csv_quoted(recipe), csv_quoted(evaluation), csv_quoted(shown_text(one.settings, 60)),
                    exact_number(one.bytes), exact_number(one.loss), exact_number(point.perplexity),
                    one.best ? QStringLiteral("1") : QStringLiteral("0"));
  }
  plot_.set_csv_source([csv] { return csv; });
  plot_.set_hover_text([points = points_](double x, double y) { return text_at(points, x, y); });
}

/// Of those at these bytes the one that is nearest.
QString PerplexityFrontier::text_at(const std::vector<Point>& points, double x, double y) {
  const Point* nearest = nullptr;
  for (const Point& point : points)
    if (std::abs(point.x - x) < 0.5 &&
        (nearest == nullptr || std::abs(point.perplexity - y) < std::abs(nearest->perplexity - y)))
      nearest = &point;
  if (nearest == nullptr) return {};
  return tr("%1\n%2\n%3, perplexity %4")
      .arg(nearest->name, shown_text(nearest->condition.settings, 60),
           bytes_text(static_cast<std::int64_t>(nearest->condition.bytes)), significant_text(nearest->perplexity, 4));
}

}  // namespace carryover
