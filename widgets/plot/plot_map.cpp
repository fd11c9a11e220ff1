// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/plot_map.h"

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"
#include "widgets/look/csv_text.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/gradients.h"

namespace carryover {

namespace {

bool is_diverging(PlotView::Gradient kind) {
  return kind == PlotView::Gradient::Diverging || kind == PlotView::Gradient::Contributions;
}

}  // namespace

void PlotMap::set(const Map& map, const QRectF& edges, const QString& value_label, PlotView::Gradient gradient) {
  CARRYOVER_CHECK(map.values.size() == static_cast<std::size_t>(map.rows * map.columns) && !map.values.empty());
  map_ = map;
  edges_ = edges;
  value_label_ = value_label;
  kind_ = gradient;
  if (!item_) {
    item_ = new QCPColorMap(plot_.xAxis, plot_.yAxis);
    item_->setInterpolate(false);
    item_->setTightBoundary(false);
    item_->removeFromLegend();
  }
  // QCustomPlot measures between the centres of the outer cells, so one row or column has no width: it is doubled.
  const int x_copies = map.columns == 1 ? 2 : 1, y_copies = map.rows == 1 ? 2 : 1;
  const int columns = static_cast<int>(map.columns) * x_copies, rows = static_cast<int>(map.rows) * y_copies;
  const double half_x = edges.width() / columns / 2, half_y = edges.height() / rows / 2;
  QCPColorMapData* data = item_->data();
  if (data->keySize() != columns || data->valueSize() != rows) data->setSize(columns, rows);
  data->setRange(QCPRange(edges.left() + half_x, edges.right() - half_x),
                 QCPRange(edges.top() + half_y, edges.bottom() - half_y));
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      data->setCell(column, row, static_cast<double>(map.at(row / y_copies, column / x_copies)));
  show_scale(kind_ != PlotView::Gradient::Categories);
  for (QCPGraph* key : keys_) kind_ == PlotView::Gradient::Categories ? key->addToLegend() : key->removeFromLegend();
  apply_colours();
}

void PlotMap::clear() {
  map_ = {};
  show_scale(false);
  if (item_) plot_.removePlottable(item_);
  item_ = nullptr;
}

void PlotMap::set_value_range(double low, double high) {
  low_ = low;
  high_ = high;
  if (item_) apply_colours();
}

void PlotMap::set_categories(const std::vector<std::pair<QString, ThemeColour>>& categories) {
  categories_ = categories;
  for (QCPGraph* key : keys_) plot_.removeGraph(key);
  keys_.clear();
  for (auto category = categories.rbegin(); category != categories.rend(); ++category) {  // the strongest first
    QCPGraph* key = plot_.addGraph();
    key->setName(category->first);
    key->setLineStyle(QCPGraph::lsNone);
    keys_.push_back(key);
  }
  restyle(theme_);
}

void PlotMap::restyle(const Theme& theme) {
  theme_ = theme;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const QColor colour = categories_[categories_.size() - 1 - i].second(theme);
    keys_[i]->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssSquare, colour, colour, 9));
  }
  if (item_) apply_colours();
}

// A colour scale can't be hidden without keeping its place, so it comes and goes.
void PlotMap::show_scale(bool shown) {
  if (!margins_) margins_ = new QCPMarginGroup(&plot_);
  if (shown && !scale_) {
    scale_ = new QCPColorScale(&plot_);
    plot_.plotLayout()->addElement(plot_.plotLayout()->rowCount() - 1, 1, scale_);
    plot_.plotLayout()->setColumnStretchFactor(1, 0.001);
    scale_->setBarWidth(10);
    scale_->setRangeDrag(false);
    scale_->setRangeZoom(false);
    plot_.axisRect()->setMarginGroup(QCP::msTop | QCP::msBottom, margins_);
    scale_->setMarginGroup(QCP::msTop | QCP::msBottom, margins_);
  } else if (!shown && scale_) {
    if (item_) item_->setColorScale(nullptr);
    plot_.axisRect()->setMarginGroup(QCP::msTop | QCP::msBottom, nullptr);
    plot_.plotLayout()->remove(scale_);
    scale_ = nullptr;
  }
}

bool PlotMap::fit_label(int room) {
  room_ = room;
  if (!scale_) return false;
  const QString fitted = fitted_label(value_label_, QFontMetrics(scale_->axis()->labelFont()), room);
  const bool changed = scale_->label() != fitted;
  scale_->setLabel(fitted);
  scale_->axis()->ticker()->setTickCount(ticks_within(room));
  return changed;
}

void PlotMap::apply_colours() {
  if (scale_) {
    item_->setColorScale(scale_);
    style_axis(*scale_->axis(), theme_);
    fit_label(room_);
  }
  item_->setGradient(gradient());
  item_->setDataRange(value_range());
}

QString PlotMap::category_names() const {
  QStringList names;
  for (const auto& [name, colour] : categories_) names += filled(QStringLiteral("%1 %2"), names.size(), name);
  return names.join(QStringLiteral(", "));
}

QCPColorGradient PlotMap::gradient() const {
  QCPColorGradient gradient;
  gradient.clearColorStops();
  gradient.setNanHandling(QCPColorGradient::nhTransparent);
  if (kind_ == PlotView::Gradient::Categories) {
    const int levels = std::max(2, static_cast<int>(categories_.size()));
    gradient.setLevelCount(levels);
    for (int i = 0; i < static_cast<int>(categories_.size()); ++i)
      gradient.setColorStopAt(static_cast<double>(i) / (levels - 1),
                              categories_[static_cast<std::size_t>(i)].second(theme_));
    return gradient;
  }
  constexpr int stops = 32;
  if (is_diverging(kind_)) {
    const bool on_dark = theme_.kind == ThemeKind::Dark;
    const double sign = kind_ == PlotView::Gradient::Contributions ? -1 : 1;
    for (int i = 0; i <= stops; ++i)
      gradient.setColorStopAt(static_cast<double>(i) / stops, diverging_colour(sign * (2.0 * i / stops - 1), on_dark));
    return gradient;
  }
  const ColourScale scale = kind_ == PlotView::Gradient::Cividis ? ColourScale::Cividis : ColourScale::Viridis;
  for (int i = 0; i <= stops; ++i) {
    const double t = static_cast<double>(i) / stops;
    gradient.setColorStopAt(t, scale_colour(scale, t));
  }
  return gradient;
}

QCPRange PlotMap::value_range() const {
  if (kind_ == PlotView::Gradient::Categories)
    return QCPRange(0, std::max<double>(1, static_cast<double>(categories_.size()) - 1));
  double low = INFINITY, high = -INFINITY;
  for (const float value : map_.values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, static_cast<double>(value));
    high = std::max(high, static_cast<double>(value));
  }
  if (std::isfinite(low_)) low = low_;
  if (std::isfinite(high_)) high = high_;
  if (is_diverging(kind_)) {
    const double most = std::isfinite(low) ? std::max(std::abs(low), std::abs(high)) : 0;
    return most > 0 ? QCPRange(-most, most) : QCPRange(-1, 1);
  }
  return low < high ? QCPRange(low, high) : QCPRange(std::isfinite(low) ? low : 0, (std::isfinite(low) ? low : 0) + 1);
}

std::optional<double> PlotMap::value_at(double x, double y) const {
  if (!has_data() || x < edges_.left() || x >= edges_.right() || y < edges_.top() || y >= edges_.bottom()) return {};
  const auto column =
      static_cast<std::int64_t>((x - edges_.left()) / edges_.width() * static_cast<double>(map_.columns));
  const auto row = static_cast<std::int64_t>((y - edges_.top()) / edges_.height() * static_cast<double>(map_.rows));
  const float value = map_.at(std::min(row, map_.rows - 1), std::min(column, map_.columns - 1));
  if (std::isnan(value)) return {};
  return static_cast<double>(value);
}

QColor PlotMap::colour_at(double x, double y) const {
  const auto value = value_at(x, y);
  if (!value) return {};
  return QColor::fromRgba(gradient().color(*value, value_range()));
}

QString PlotMap::text_at(double x, double y) const {
  const auto value = value_at(x, y);
  if (!value) return {};
  if (kind_ != PlotView::Gradient::Categories) return QStringLiteral("%1: %2").arg(value_label_, short_number(*value));
  const auto index = static_cast<std::size_t>(std::llround(*value));
  return index < categories_.size() ? categories_[index].first : QString();
}

QString PlotMap::csv(const QString& x_label, const QString& y_label) const {
  QString text = QStringLiteral("%1,%2,%3\n").arg(csv_field(x_label), csv_field(y_label), csv_field(value_label_));
  const double width = edges_.width() / static_cast<double>(map_.columns);
  const double height = edges_.height() / static_cast<double>(map_.rows);
  for (std::int64_t row = 0; row < map_.rows; ++row)
    for (std::int64_t column = 0; column < map_.columns; ++column) {
      const float value = map_.at(row, column);
      if (std::isnan(value)) continue;
      text += exact_number(edges_.left() + (static_cast<double>(column) + 0.5) * width) + QLatin1Char(',') +
              exact_number(edges_.top() + (static_cast<double>(row) + 0.5) * height) + QLatin1Char(',') +
              QString::number(value, 'g', 9) + QLatin1Char('\n');
    }
  return text;
}

}  // namespace carryover
