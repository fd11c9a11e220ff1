// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/compared_losses.h"

#include <algorithm>
#include <cmath>

#include "widgets/look/csv_text.h"
#include "widgets/look/qstring.h"
#include "widgets/state/quantity_text.h"

namespace carryover {

ComparedLosses::ComparedLosses(PlotView& plot) : plot_(plot), curves_(plot) {
  plot_.set_empty_text(tr("No comparison has results on both sides"));
}

void ComparedLosses::draw(const ResultsView& results, const std::vector<std::string>& titles) {
  const std::string model = results.models.empty() ? "" : results.models.front().name;
  std::vector<const ResultsView::Comparison*> shown;
  std::vector<std::string> names;
  for (const ResultsView::Comparison& one : results.comparisons) {
    if (!titles.empty() && std::ranges::find(titles, one.title) == titles.end()) continue;
    shown.push_back(&one);
    names.push_back(one.title);
  }
  std::vector<QString> lengths;  // in even steps: they mostly double
  for (const std::int64_t length : results.lengths) lengths.push_back(count_text(length));
  curves_.begin(names);
  std::vector<Point> points;
  for (std::size_t i = 0; i < shown.size(); ++i)
    for (std::size_t place = 0; place < results.lengths.size(); ++place) {
      const auto found = results.compared(model, *shown[i], results.lengths[place]);
      if (!found) continue;
      const auto x = static_cast<double>(place);
      curves_.add(static_cast<int>(i), x, found->interval.mean, found->interval);
      points.push_back({shown_text(names[i], 200), results.lengths[place], *found, x});
    }
  plot_.set_csv_source([points] { return csv_of(points); });
  plot_.set_hover_text([points](double x, double y) { return text_at(points, x, y); });
  plot_.set_title(tr("Comparisons (below 0: the first has the lower loss; bars: 95 %)"));
  plot_.set_x_names(lengths);
  plot_.set_axes(tr("Length (tokens)"), tr("Difference of the loss (nats)"));
}

QString ComparedLosses::csv_of(const std::vector<Point>& points) {
  QString csv = QStringLiteral("comparison,tokens,loss_difference,low,high,books,books_below_0\n");
  for (const Point& point : points) {
    const MeanInterval& interval = point.difference.interval;
    csv += QStringLiteral("%1,%2,%3,%4,%5,%6,%7\n")
               .arg(csv_quoted(point.title), QString::number(point.length), exact_number(interval.mean),
                    exact_number(interval.low), exact_number(interval.high), QString::number(point.difference.clusters),
                    QString::number(point.difference.below));
  }
  return csv;
}

/// Of those at this length the one that is nearest.
QString ComparedLosses::text_at(const std::vector<Point>& points, double x, double y) {
  const Point* nearest = nullptr;
  const auto distance = [y](const Point& point) { return std::abs(point.difference.interval.mean - y); };
  for (const Point& point : points)
    if (std::abs(point.x - x) < 0.5 && (nearest == nullptr || distance(point) < distance(*nearest))) nearest = &point;
  if (nearest == nullptr) return {};
  const auto& [interval, clusters, below] = nearest->difference;
  return tr("%1\n%2 tokens: %3 nats (%4 to %5), lower on %6 of %7 books")
      .arg(nearest->title, count_text(nearest->length), significant_text(interval.mean, 3),
           significant_text(interval.low, 3), significant_text(interval.high, 3))
      .arg(below)
      .arg(clusters);
}

}  // namespace carryover
