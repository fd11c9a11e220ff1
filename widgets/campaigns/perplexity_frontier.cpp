// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/campaigns/perplexity_frontier.h"

#include <algorithm>
#include <cmath>

#include "widgets/look/csv_text.h"
#include "widgets/look/qstring.h"
#include "widgets/look/quantity_text.h"
#include "widgets/plot/plot_view.h"

namespace carryover {
namespace {

constexpr double lowest_drawn = 1e-9, highest_drawn = 1e100;  ///< beyond, a logarithmic axis has no room

/// Returns the settings of all conditions, so that a series keeps its colour whatever is left out.
std::vector<std::string> all_settings(const ResultsView& results) {
  std::vector<std::string> settings;
  for (const ResultsView::Run& run : results.runs)
    if (const std::string text = run.settings_text();
        run.model == results.first_model() && std::ranges::find(settings, text) == settings.end())
      settings.push_back(text);
  return settings;
}

/// Returns MiB as the tables of the report show them.
QString mebibytes(double bytes) {
  return decimal_text(bytes / (1 << 20), 2);
}

}  // namespace

PerplexityFrontier::PerplexityFrontier(PlotView& plot) : plot_(plot) {
  plot_.set_empty_text(tr("No evaluation is finished"));
  plot_.set_log_y(true);  // a difference of the loss is as high everywhere
  plot_.add_curve(tr("lowest perplexity up to this size"), {[](const Theme& theme) { return theme.muted; }, true});
  plot_.set_axes(tr("Attention-visible KV (MiB)"), tr("Perplexity"));
  plot_.set_title(tr("Perplexity against attention-visible KV"));
}

void PerplexityFrontier::clear() {
  points_.clear();
  plot_.clear_curves();
  plot_.set_csv_source({});
  plot_.set_hover_text({});
  plot_.set_title(tr("Perplexity against attention-visible KV"));
}

void PerplexityFrontier::draw(const ResultsView& results, std::int64_t length,
                              const std::vector<std::string>& recipes) {
  place_points(results, length, recipes);
  draw_points(all_settings(results));
  draw_line();
  show_all();
  plot_.set_title(tr("Perplexity at %1 tokens against attention-visible KV").arg(count_text(length)));
  plot_.set_x_names(sizes_);
  plot_.set_csv_source([csv = csv()] { return csv; });
  plot_.set_hover_text([points = points_](double x, double y) { return text_at(points, x, y); });
}

/// Sizes in even steps: a setting often sees twice what another one sees.
void PerplexityFrontier::place_points(const ResultsView& results, std::int64_t length,
                                      const std::vector<std::string>& recipes) {
  points_.clear();
  sizes_.clear();
  double bytes = -1;
  for (const FrontierCondition& one : experiment_frontier(results, results.first_model(), length, recipes).conditions) {
    const double perplexity = std::exp(one.loss);
    if (!(perplexity >= lowest_drawn && perplexity <= highest_drawn)) continue;
    if (one.bytes != bytes) sizes_.push_back(mebibytes(bytes = one.bytes));
    const QString recipe = shown_text(results.title_of(results.recipes, one.condition.recipe), 80);
    const QString evaluation = shown_text(results.title_of(results.evaluations, one.condition.evaluation), 80);
    points_.push_back({one, static_cast<double>(sizes_.size() - 1), perplexity, recipe, evaluation});
  }
}

void PerplexityFrontier::draw_points(const std::vector<std::string>& series) {
  const std::size_t colours = current_theme().series.size();
  for (; series_ < series.size(); ++series_)
    plot_.add_curve({}, {series_colour(series_), series_ >= colours, false, false, true});
  plot_.clear_curves();
  for (std::size_t i = 0; i < series_; ++i) {
    const int curve = static_cast<int>(i) + 1;
    const auto of_it = [&](const Point& point) { return i < series.size() && point.condition.settings == series[i]; };
    plot_.set_curve_visible(curve, std::ranges::any_of(points_, of_it));
    if (i < series.size()) plot_.set_curve_name(curve, shown_text(series[i], 60));
    for (const Point& point : points_)
      if (of_it(point)) plot_.append(curve, point.x, point.perplexity);
  }
}

/// Level up to the size at which a lower perplexity is reached, and down there.
void PerplexityFrontier::draw_line() {
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

QString PerplexityFrontier::csv() const {
  QString csv = QStringLiteral("recipe,evaluation,settings,visible_kv_bytes,loss,perplexity,lowest\n");
  for (const Point& point : points_)
    csv += QStringLiteral("%1,%2,%3,%4,%5,%6,%7\n")
               .arg(csv_quoted(point.recipe), csv_quoted(point.evaluation),
                    csv_quoted(shown_text(point.condition.settings, 60)), exact_number(point.condition.bytes),
                    exact_number(point.condition.loss), exact_number(point.perplexity),
                    QString::number(point.condition.best ? 1 : 0));
  return csv;
}

/// Returns the text of the point of this size that is drawn nearest.
QString PerplexityFrontier::text_at(const std::vector<Point>& points, double x, double y) {
  const Point* nearest = nullptr;
  const auto distance = [y](const Point& point) { return std::abs(std::log(point.perplexity / y)); };
  for (const Point& point : points)
    if (std::abs(point.x - x) < 0.5 && (nearest == nullptr || distance(point) < distance(*nearest))) nearest = &point;
  if (nearest == nullptr) return {};
  return tr("%1: %2\n%3\n%4 MiB, perplexity %5")
      .arg(nearest->recipe, nearest->evaluation, shown_text(nearest->condition.settings, 60),
           mebibytes(nearest->condition.bytes), significant_text(nearest->perplexity, 4));
}

}  // namespace carryover
