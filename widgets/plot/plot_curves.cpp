// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/plot_curves.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/base/error.h"
#include "widgets/look/csv_text.h"
#include "widgets/look/quantity_text.h"

namespace carryover {
namespace {

constexpr std::size_t dots_up_to = 64;   // a single point is no line, and few points read better with dots
constexpr std::size_t thin_from = 1000;  // wider pens take Qt's slow path

}  // namespace

QString short_number(double value) {
  if (value == std::round(value) && std::abs(value) < 1e15) return count_text(static_cast<std::int64_t>(value));
  return significant_text(value, 4);
}

int PlotCurves::add(const QString& name, const CurveStyle& style) {
  QCPGraph* graph = plot_.addGraph();
  graph->setName(name);
  graph->setAdaptiveSampling(true);
  curves_.push_back({name, style, graph, true, {}, {}, {}});
  list(curves_.back());
  style_line(curves_.back());
  return count() - 1;
}

PlotCurves::Curve& PlotCurves::at(int index) {
  CARRYOVER_CHECK(index >= 0 && index < count());
  return curves_[static_cast<std::size_t>(index)];
}

const PlotCurves::Curve* PlotCurves::base_of(std::size_t index) const {
  if (!curves_[index].style.stacked || !stacking_) return nullptr;
  for (std::size_t i = index; i-- > 0;)
    if (curves_[i].style.stacked && curves_[i].visible) return &curves_[i];
  return nullptr;
}

void PlotCurves::append(int index, double x, double y) {
  Curve& curve = at(index);
  curve.x.push_back(x);
  curve.y.push_back(y);
  draw(static_cast<std::size_t>(index), curve.x.size() - 1);
  if (curve.x.size() == dots_up_to + 1 || curve.x.size() == thin_from) style_line(curve);
}

void PlotCurves::draw(std::size_t index, std::size_t first) {
  Curve& curve = curves_[index];
  const Curve* base = base_of(index);
  curve.top.resize(curve.x.size());
  for (std::size_t i = first; i < curve.x.size(); ++i) {
    CARRYOVER_CHECK(!base || (i < base->x.size() && base->x[i] == curve.x[i]));
    curve.top[i] = curve.y[i] + (base ? base->top[i] : 0);
    curve.graph->addData(curve.x[i], curve.top[i]);  // one by one keeps the order of points that share an x
  }
}

// Only where what stands below changes; new data never comes here.
void PlotCurves::redraw() {
  for (std::size_t i = 0; i < curves_.size(); ++i) {
    curves_[i].graph->data()->clear();
    draw(i, 0);
    style_line(curves_[i]);
  }
}

void PlotCurves::clear(int index) {
  Curve& curve = at(index);
  curve.x.clear();
  curve.y.clear();
  curve.top.clear();
  curve.graph->data()->clear();
  style_line(curve);
}

void PlotCurves::set_visible(int index, bool visible) {
  Curve& curve = at(index);
  if (curve.visible == visible) return;
  curve.visible = visible;
  curve.graph->setVisible(visible);
  list(curve);
  if (curve.style.stacked) redraw();
}

void PlotCurves::set_name(int index, const QString& name) {
  Curve& curve = at(index);
  curve.name = name;
  curve.graph->setName(name);
  list(curve);
}

/// In the legend stand the curves that are seen and have a name.
void PlotCurves::list(const Curve& curve) {
  curve.visible && !curve.name.isEmpty() ? curve.graph->addToLegend() : curve.graph->removeFromLegend();
}

void PlotCurves::set_stacking(bool on) {
  if (stacking_ == on) return;
  stacking_ = on;
  redraw();
}

void PlotCurves::restyle(const Theme& theme) {
  theme_ = theme;
  for (Curve& curve : curves_) style_line(curve);
}

void PlotCurves::style_line(Curve& curve) {
  const QColor colour = curve.style.colour(theme_);
  const bool few = curve.x.size() <= dots_up_to;
  QPen pen(colour, theme_.pen * (curve.x.size() < thin_from && !curve.style.stacked ? 1.6 : 1.0));
  if (curve.style.dashed) pen.setDashPattern({5, 3});
  curve.graph->setPen(pen);
  if (curve.style.points) {
    curve.graph->setLineStyle(QCPGraph::lsNone);
    curve.graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssTriangle, QPen(colour, 1.4 * theme_.pen),
                                                 curve.style.dashed ? QBrush(Qt::NoBrush) : QBrush(colour),
                                                 8 * theme_.pen));
    return;
  }
  const bool dotted = few && !curve.style.dashed && !curve.style.filled && !curve.style.strokes;
  curve.graph->setScatterStyle(dotted ? QCPScatterStyle(QCPScatterStyle::ssDisc, 5 * theme_.pen) : QCPScatterStyle());
  QColor fill = colour;
  fill.setAlphaF(curve.style.stacked ? 0.55F : 0.18F);
  const bool filled = curve.style.filled && (stacking_ || !curve.style.stacked);
  curve.graph->setBrush(filled ? QBrush(fill) : QBrush(Qt::NoBrush));
  const Curve* base = base_of(static_cast<std::size_t>(&curve - curves_.data()));
  curve.graph->setChannelFillGraph(base ? base->graph : nullptr);
}

bool PlotCurves::has_data() const {
  return std::any_of(curves_.begin(), curves_.end(), [](const Curve& curve) { return !curve.x.empty(); });
}

QRectF PlotCurves::bounds(bool positive_only) const {
  double x0 = INFINITY, x1 = -INFINITY, y0 = INFINITY, y1 = -INFINITY;
  for (const Curve& curve : curves_) {
    if (!curve.visible) continue;
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      if (!std::isfinite(curve.top[i]) || (positive_only && curve.top[i] <= 0)) continue;
      x0 = std::min(x0, curve.x[i]);
      x1 = std::max(x1, curve.x[i]);
      y0 = std::min(y0, curve.style.filled && !positive_only ? std::min(0.0, curve.top[i]) : curve.top[i]);
      y1 = std::max(y1, curve.top[i]);
    }
  }
  return x0 <= x1 ? QRectF(QPointF(x0, y0), QPointF(x1, y1)) : QRectF();
}

std::vector<std::pair<double, double>> PlotCurves::drawn(int index) const {
  std::vector<std::pair<double, double>> points;
  for (const QCPGraphData& point : *curves_.at(static_cast<std::size_t>(index)).graph->data())
    points.emplace_back(point.key, point.value);
  return points;
}

QString PlotCurves::csv(const QString& x_label) const {
  QString text = csv_field(x_label);
  for (const QString& name : names()) text += QLatin1Char(',') + csv_field(name);
  std::int64_t rows = 0;
  const std::vector<double> values = table(rows);
  const std::size_t columns = curves_.size() + 1;
  for (std::size_t i = 0; i < values.size(); ++i)
    text += (i % columns == 0 ? QLatin1Char('\n') : QLatin1Char(',')) + exact_number(values[i]);
  return text + QLatin1Char('\n');
}

std::vector<double> PlotCurves::table(std::int64_t& rows) const {
  std::map<double, std::vector<double>> lines;
  for (std::size_t c = 0; c < curves_.size(); ++c)
    for (std::size_t i = 0; i < curves_[c].x.size(); ++i)
      lines.try_emplace(curves_[c].x[i], curves_.size(), NAN).first->second[c] = curves_[c].y[i];
  rows = static_cast<std::int64_t>(lines.size());
  std::vector<double> values;
  for (const auto& [x, line] : lines) {
    values.push_back(x);
    values.insert(values.end(), line.begin(), line.end());
  }
  return values;
}

QStringList PlotCurves::names() const {
  QStringList names;
  for (const Curve& curve : curves_) names += curve.name;
  return names;
}

std::size_t PlotCurves::nearest(const Curve& curve, double x) {
  auto right = std::lower_bound(curve.x.begin(), curve.x.end(), x);
  if (right == curve.x.end() || (right != curve.x.begin() && x - *(right - 1) < *right - x)) --right;
  return static_cast<std::size_t>(right - curve.x.begin());
}

QString PlotCurves::text_at(double x, double reference, const QString& second_label,
                            const std::function<double(double)>& second) const {
  QStringList lines;
  for (const Curve& curve : curves_) {
    if (!curve.visible || curve.x.empty() || curve.name.isEmpty()) continue;  // strokes of intervals have no name
    const double value = curve.y[nearest(curve, x)];
    QString line = QStringLiteral("%1: %2").arg(curve.name, short_number(value));
    if (second) line += QStringLiteral(" (%1 %2)").arg(second_label, short_number(second(value)));
    const double change = std::isnan(reference) ? 0 : value - curve.y[nearest(curve, reference)];
    if (!std::isnan(reference) && !std::isnan(change))
      line += QStringLiteral(" (Δ %1%2)").arg(change > 0 ? QStringLiteral("+") : QString(), short_number(change));
    lines += line;
  }
  return lines.join(QLatin1Char('\n'));
}

}  // namespace carryover
