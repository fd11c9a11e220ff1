// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/campaigns/compared_losses_plot.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "widgets/look/csv_text.h"
#include "widgets/look/qstring.h"
#include "widgets/look/quantity_text.h"

namespace carryover {
namespace {

/// Returns a title for an axis: its beginning and its end, which tell comparisons apart.
QString shortened(const QString& title) {
  constexpr qsizetype most = 44, half = most / 2;
  return title.size() <= most ? title : title.left(half) + QStringLiteral("…") + title.right(half);
}

QString bound_text(const MeanInterval& interval, double bound) {
  return interval.has_bounds() ? exact_number(bound) : QString();
}

}  // namespace

ComparedLosses::ComparedLosses(PlotView& plot) : plot_(plot), curves_(plot) {
  plot_.set_empty_text(tr("No comparison has results on both sides"));
  plot_.set_title(tr("Comparisons (below 0: the first has the lower loss; bars: 95 %)"));
}

void ComparedLosses::clear() {
  curves_.begin({});
  plot_.set_csv_source({});
  plot_.set_hover_text({});
}

void ComparedLosses::draw(const ResultsView& results, const std::vector<ComparedLoss>& compared,
                          const std::vector<std::size_t>& chosen) {
  std::vector<Point> points;
  std::vector<std::string> names;
  std::optional<std::size_t> previous;
  for (const ComparedLoss& one : compared) {
    if (!chosen.empty() && std::ranges::find(chosen, one.comparison) == chosen.end()) continue;
    if (previous != one.comparison) names.push_back(results.comparisons[one.comparison].title);
    previous = one.comparison;
    points.push_back({static_cast<int>(names.size()) - 1, shown_text(names.back(), 200), results.lengths[one.length],
                      one.difference, static_cast<double>(one.length)});
  }
  const bool one_length =
      std::ranges::all_of(points, [&](const Point& point) { return point.length == points.front().length; });
  curves_.begin(one_length ? std::vector<std::string>(names.size()) : names);  // rows have theirs on the axis
  one_length ? draw_rows(points) : draw_by_length(points, results.lengths);
  plot_.set_y_reversed(one_length);
  plot_.set_csv_source([csv = csv_of(points)] { return csv; });
}

/// Lengths in even steps: they mostly double.
void ComparedLosses::draw_by_length(const std::vector<Point>& points, const std::vector<std::int64_t>& lengths) {
  for (const Point& point : points) curves_.add(point.curve, point.across, point.difference.interval);
  std::vector<QString> names;
  for (const std::int64_t length : lengths) names.push_back(count_text(length));
  plot_.set_x_names(names);
  plot_.set_y_names({});
  plot_.set_extent({});
  plot_.set_axes(tr("Length (tokens)"), tr("Difference of the loss (nats)"));
  plot_.set_hover_text([points](double x, double y) {
    const Point* nearest = nullptr;
    const auto distance = [y](const Point& point) { return std::abs(point.difference.interval.mean - y); };
    for (const Point& point : points)
      if (std::abs(point.across - x) < 0.5 && (nearest == nullptr || distance(point) < distance(*nearest)))
        nearest = &point;
    return text_of(nearest);
  });
}

void ComparedLosses::draw_rows(const std::vector<Point>& points) {
  std::vector<QString> names;
  double low = 0, high = 0;  // 0 is always seen
  for (const Point& point : points) {
    const MeanInterval& interval = point.difference.interval;
    curves_.add_across(point.curve, point.curve, interval);
    names.push_back(shortened(point.title));
    low = std::min(low, interval.has_bounds() ? interval.low : interval.mean);
    high = std::max(high, interval.has_bounds() ? interval.high : interval.mean);
  }
  const double side = 0.04 * std::max(high - low, 1e-6);
  if (!points.empty())
    plot_.set_extent(QRectF(QPointF(low - side, -0.5), QPointF(high + side, static_cast<double>(names.size()) - 0.5)));
  plot_.set_x_names({});
  plot_.set_y_names(names);
  plot_.set_axes(points.empty() ? tr("Difference of the loss (nats)")
                                : tr("Δ loss at %1 tokens (nats)").arg(count_text(points[0].length)),
                 {});
  plot_.set_hover_text([points](double, double y) {
    const auto found = std::ranges::find(points, static_cast<int>(std::lround(y)), &Point::curve);
    return text_of(found == points.end() ? nullptr : &*found);
  });
}

QString ComparedLosses::csv_of(const std::vector<Point>& points) {
  QString csv = QStringLiteral("comparison,tokens,loss_difference,low,high,books,books_below_0\n");
  for (const Point& point : points) {
    const MeanInterval& interval = point.difference.interval;
    csv += QStringLiteral("%1,%2,%3,%4,%5,%6,%7\n")
               .arg(csv_quoted(point.title), QString::number(point.length), exact_number(interval.mean),
                    bound_text(interval, interval.low), bound_text(interval, interval.high),
                    QString::number(point.difference.clusters), QString::number(point.difference.below));
  }
  return csv;
}

QString ComparedLosses::text_of(const Point* point) {
  if (point == nullptr) return {};
  const auto& [interval, clusters, below] = point->difference;
  if (!interval.has_bounds())
    return tr("%1\n%2 tokens: %3 nats, lower on %4 of %5 books")
        .arg(point->title, count_text(point->length), significant_text(interval.mean, 3), QString::number(below),
             QString::number(clusters));
  return tr("%1\n%2 tokens: %3 nats (%4 to %5), lower on %6 of %7 books")
      .arg(point->title, count_text(point->length), significant_text(interval.mean, 3),
           significant_text(interval.low, 3), significant_text(interval.high, 3), QString::number(below),
           QString::number(clusters));
}

}  // namespace carryover
