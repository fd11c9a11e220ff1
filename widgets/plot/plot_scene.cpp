// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/plot_scene.h"

#include <algorithm>
#include <cmath>

namespace carryover {
namespace {

constexpr int title_margin = 4;  ///< at its left and its right

}  // namespace

PlotScene::PlotScene(QWidget* view)
    : pages(new QStackedLayout(view)), empty(new QLabel(view)), plot(new QCustomPlot(view)) {
  empty->setAlignment(Qt::AlignCenter);
  empty->setWordWrap(true);
  empty->setMargin(12);
  empty->setAutoFillBackground(true);
  empty->setBackgroundRole(QPalette::Base);
  empty->setForegroundRole(QPalette::PlaceholderText);
  pages->setContentsMargins(0, 0, 0, 0);
  pages->addWidget(empty);
  pages->addWidget(plot);
  plot->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
  plot->xAxis->setTicker(x_ticker);
  plot->yAxis->setTicker(y_ticker);
  plot->axisRect()->insetLayout()->take(plot->legend);
  plot->axisRect()->setMinimumSize(50, 12);  // so that a low plot squeezes the data, and not title and legend
  QCPLayoutGrid* layout = plot->plotLayout();
  layout->insertRow(0);
  layout->insertRow(0);
  layout->setRowSpacing(0);
  layout->setRowStretchFactor(0, 0.001);  // empty rows must not claim their share
  layout->setRowStretchFactor(1, 0.001);
  plot->addLayer(QStringLiteral("cursor"), plot->layer(QStringLiteral("overlay")), QCustomPlot::limAbove);
  cursor_layer = plot->layer(QStringLiteral("cursor"));
  cursor_layer->setMode(QCPLayer::lmBuffered);
  for (Cursor* each : {&reference, &cursor, &row_cursor})
    for (QCPItemStraightLine** line : {&each->halo, &each->line}) {
      *line = new QCPItemStraightLine(plot);
      (*line)->setLayer(cursor_layer);
      (*line)->setAntialiased(false);  // crisp at any place
      (*line)->setVisible(false);
    }
  curves = std::make_unique<PlotCurves>(*plot);
  map = std::make_unique<PlotMap>(*plot);
  outlines = std::make_unique<PlotOutlines>(*plot);
}

void PlotScene::Cursor::set(const QPointF& from, const QPointF& to, bool visible) {
  for (QCPItemStraightLine* each : {halo, line}) {
    each->point1->setCoords(from);
    each->point2->setCoords(to);
    each->setVisible(visible);
  }
}

void PlotScene::style(const Theme& look) {
  theme = look;
  style_plot(*plot, theme);
  curves->restyle(theme);
  map->restyle(theme);
  outlines->restyle(theme);
  QColor halo = theme.surface;
  halo.setAlphaF(0.65F);
  for (const Cursor* each : {&reference, &cursor, &row_cursor}) {
    each->halo->setPen(QPen(halo, 3));
    each->line->setPen(QPen(theme.accent, 1));
  }
  reference.line->setPen(QPen(theme.muted, 1, Qt::DashLine));
}

// Taken out where there is none: an empty line would still keep its place.
void PlotScene::arrange_title(int width) {
  QCPLayoutGrid* layout = plot->plotLayout();
  const bool wanted = titled && roomy && !title.isEmpty();
  if (wanted && !title_element) {
    title_element = new QCPTextElement(plot);
    title_element->setMargins(QMargins(title_margin, 4, title_margin, 0));
    layout->addElement(0, 0, title_element);
  } else if (!wanted && title_element) {
    layout->remove(title_element);
    title_element = nullptr;
  }
  if (!title_element) return;
  QFont font = plot_font(theme);
  font.setBold(true);
  title_element->setFont(font);
  title_element->setTextColor(theme.text);
  title_element->setText(QFontMetrics(font).elidedText(title, Qt::ElideRight, width - 2 * title_margin));
}

// QCustomPlot lets a label that is longer than its axis run out of it at both ends, over title and legend.
bool PlotScene::fit_labels(int height) {
  constexpr int below = 60;        // the other axis, and what of the label may stand beside it
  constexpr int beyond = 16;       // of the axis, at both ends together
  constexpr int most = 1'000'000;  // font metrics count in fractions of pixels
  int room = std::min(height - below, most);
  if (height == plot->height() && !pixels.isEmpty()) room = std::min(room, pixels.height() + beyond);
  const QFontMetrics metrics(plot->yAxis->labelFont());
  const auto fit = [&](QCPAxis* axis, const QString& label) {
    const QString fitted = fitted_label(label, metrics, room);
    const bool changed = axis->label() != fitted;
    axis->setLabel(fitted);
    return changed;
  };
  const bool left = fit(plot->yAxis, y_label), right = fit(plot->yAxis2, second_label), scale = map->fit_label(room);
  return left || right || scale;
}

void PlotScene::set_y_ticks(int room) {
  // Names all or, where they would overlap, as many as numbers.
  const auto names = static_cast<int>(y_ticker->names().size());
  const int line = QFontMetrics(plot->yAxis->tickLabelFont()).height();
  y_ticker->setTickCount(names > 0 && names * line <= room ? names : ticks_within(room));
  if (second_ticker) second_ticker->setTickCount(ticks_within(room));
}

void PlotScene::set_x_ticks(int width) {
  constexpr int usual = 5, gap = 12;
  const QFontMetrics metrics(plot->xAxis->tickLabelFont());
  int room = width * 4 / 5;  // without what stands beside the axis
  for (const QString& name : x_ticker->names()) room -= metrics.horizontalAdvance(name) + gap;
  const auto names = static_cast<int>(x_ticker->names().size());
  x_ticker->setTickCount(names > 0 && room >= 0 ? names : usual);
}

void PlotScene::arrange(int width, int height) {
  constexpr int title_room = 150, label_room = 130, legend_room = 120;  // below, the data would have none
  roomy = height >= title_room;
  set_y_ticks(pixels.height());
  set_x_ticks(width);
  QCPLayoutGrid* layout = plot->plotLayout();
  arrange_title(width);
  fit_labels(height);
  plot->xAxis->setLabel(height < label_room ? QString() : x_label);
  bool wanted = plot->legend->itemCount() > 1 && height >= legend_room;
  if (wanted) wanted = wrap_legend(*plot->legend, width) <= height / 3;  // values under the pointer have the names too
  if (wanted == plot->legend->visible()) return;
  plot->legend->setVisible(wanted);
  if (!wanted) {
    legend_row->take(plot->legend);
    layout->remove(legend_row);
    legend_row = nullptr;
    return;
  }
  legend_row = new QCPLayoutGrid;  // keeps the legend's items together at the left; empty, it would squeeze the plot
  layout->addElement(1, 0, legend_row);
  legend_row->addElement(0, 0, plot->legend);
  legend_row->expandTo(1, 2);
  legend_row->setColumnStretchFactor(0, 0.001);
}

QRectF PlotScene::data_bounds() const {
  if (!extent.isNull()) return extent;
  QRectF bounds = curves->bounds(log_y);
  if (!map->has_data() && log_y && bounds.height() > 0) return bounds;
  if (!map->has_data()) {
    const double margin = bounds.height() > 0 ? 0.06 * bounds.height() : std::max(0.5, 0.1 * std::abs(bounds.top()));
    const bool from_zero = bounds.top() == 0 && bounds.height() > 0;
    const double side = bounds.width() > 0 ? 0.02 * bounds.width() : 0.5;
    const QRectF data = bounds;
    bounds.adjust(-side, from_zero ? 0 : -margin, side, margin);
    if (least_x.is_set()) {
      bounds.setLeft(data.left() < least_x.low ? bounds.left() : least_x.low);
      bounds.setRight(data.right() > least_x.high ? bounds.right() : least_x.high);
    }
    if (least_y.is_set() && !log_y) {
      bounds.setTop(data.top() < least_y.low ? bounds.top() : least_y.low);
      bounds.setBottom(data.bottom() > least_y.high ? bounds.bottom() : least_y.high);
    }
    return bounds;
  }
  return map->bounds();
}

void PlotScene::apply_fit() {
  if (extent.isNull() && !curves->has_data() && !map->has_data()) return;
  fitted = data_bounds();
  plot->xAxis->setRange(fitted.left(), fitted.right());
  if (log_y) {
    const double margin = std::clamp(std::pow(fitted.bottom() / fitted.top(), 0.06), 1.02, 1.3);
    plot->yAxis->setRange(fitted.top() / margin, fitted.bottom() * margin);
  } else
    plot->yAxis->setRange(fitted.top(), fitted.bottom());
}

// Powers of ten where there are several; else numbers as on a linear axis, of which a decade has no two.
void PlotScene::choose_y_ticker() {
  const QCPRange range = plot->yAxis->range();
  if (log_y && range.lower > 0 && range.upper > 30 * range.lower)
    plot->yAxis->setTicker(log_ticker);
  else
    plot->yAxis->setTicker(y_ticker);
}

// A pan or zoom never leaves the data out of sight.
void PlotScene::limit(QCPAxis* axis, const QCPRange& range, double low, double high) {
  if (!following && low < high) axis->setRange(range.bounded(low, high));
}

QString PlotScene::text_at(double x, double y) const {
  if (hover_text) return hover_text(x, y);
  if (map->has_data()) return map->text_at(x, y);
  const QString values = curves->text_at(x, reference_x);
  return values.isEmpty() ? values : QStringLiteral("%1: %2\n%3").arg(x_label, short_number(std::round(x)), values);
}

}  // namespace carryover
