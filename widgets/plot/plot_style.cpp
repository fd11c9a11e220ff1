// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/plot_style.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace carryover {

double AxisTicker::getTickStep(const QCPRange& range) {
  const double step = QCPAxisTicker::getTickStep(range);
  return integer_ || !names_.empty() ? std::max(1.0, std::ceil(step)) : step;
}

int AxisTicker::getSubTickCount(double tick_step) {
  return integer_ || !names_.empty() ? 0 : QCPAxisTicker::getSubTickCount(tick_step);
}

QVector<double> AxisTicker::createTickVector(double tick_step, const QCPRange& range) {
  step_ = tick_step;
  largest_ = std::max(std::abs(range.lower), std::abs(range.upper));
  QVector<double> ticks = QCPAxisTicker::createTickVector(tick_step, range);
  const auto outside = [&](double tick) { return tick < -0.5 || tick > static_cast<double>(names_.size()) - 0.5; };
  if (!names_.empty()) ticks.erase(std::remove_if(ticks.begin(), ticks.end(), outside), ticks.end());
  return ticks;
}

QString AxisTicker::getTickLabel(double tick, const QLocale& locale, QChar format, int precision) {
  if (!names_.empty()) {
    const auto index = static_cast<std::size_t>(std::llround(std::max(0.0, tick)));
    return index < names_.size() ? names_[index] : QString();
  }
  for (const auto& [unit, suffix] : {std::pair(1e6, 'M'), std::pair(1e3, 'K')}) {
    if (largest_ < 10 * unit || step_ < unit / 20) continue;
    const double scaled_step = step_ / unit;
    const int decimals = std::abs(scaled_step - std::round(scaled_step)) < 1e-9 ? 0 : scaled_step >= 0.095 ? 1 : 2;
    return tick == 0 ? QStringLiteral("0") : locale.toString(tick / unit, 'f', decimals) + QLatin1Char(suffix);
  }
  if (integer_) return QString::number(std::llround(tick));
  return with_small_e(QCPAxisTicker::getTickLabel(tick, locale, format, precision));
}

QFont plot_font(const Theme& theme) {
  QFont font = QApplication::font();
  if (theme.text_points > 0) font.setPointSizeF(theme.text_points);
  return font;
}

QFont small_plot_font(const Theme& theme) {
  QFont font = plot_font(theme);
  font.setPointSizeF(std::max(6.0, font.pointSizeF() - 1));
  return font;
}

void style_axis(QCPAxis& axis, const Theme& theme) {
  axis.setBasePen(QPen(theme.muted, theme.pen));
  axis.setTickPen(QPen(theme.muted, theme.pen));
  axis.setSubTickPen(QPen(theme.muted, theme.pen));
  axis.setTickLabelColor(theme.text);
  axis.setLabelColor(theme.text);
  axis.setTickLabelFont(small_plot_font(theme));
  axis.setLabelFont(plot_font(theme));
  axis.setTickLength(0, 4);
  axis.setSubTickLength(0, 2);
  axis.setLabelPadding(3);
  axis.grid()->setPen(QPen(theme.grid, theme.pen));
  axis.grid()->setZeroLinePen(QPen(theme.grid, theme.pen));
}

int ticks_within(int room) {
  constexpr int label_height = 22;
  return std::clamp(room / label_height, 2, 5);
}

namespace {

/// Returns the legend's width with so many items a row, each column as wide as its widest item.
int legend_width(const QCPLegend& legend, int columns) {
  std::vector<int> widths(static_cast<std::size_t>(columns), 0);
  for (int i = 0; i < legend.itemCount(); ++i)
    if (const QCPAbstractLegendItem* item = legend.item(i)) {
      int& widest = widths[static_cast<std::size_t>(i % columns)];
      widest = std::max(widest, item->minimumOuterSizeHint().width());
    }
  return std::accumulate(widths.begin(), widths.end(), (columns - 1) * legend.columnSpacing());
}

}  // namespace

void style_plot(QCustomPlot& plot, const Theme& theme) {
  plot.setBackground(QBrush(theme.surface));
  for (QCPAxis* axis : {plot.xAxis, plot.yAxis, plot.yAxis2}) style_axis(*axis, theme);
  plot.legend->setFont(small_plot_font(theme));
  plot.legend->setTextColor(theme.text);
  plot.legend->setBrush(Qt::NoBrush);
  plot.legend->setBorderPen(Qt::NoPen);
  const int line = QFontMetrics(plot.legend->font()).height();
  // Icons as large as the text, so that more entries stand in a row.
  plot.legend->setIconSize(line * 5 / 4, line * 2 / 3);
  plot.legend->setIconTextPadding(line / 3);
  plot.legend->setColumnSpacing(line * 2 / 3);
  plot.legend->setRowSpacing(0);
}

int wrap_legend(QCPLegend& legend, int width) {
  // An entry is clipped to its outer rectangle, which at a figure's resolution can be lower than its letters.
  const int descent = QFontMetrics(legend.font()).descent() / 2 + 1;
  int line = 0;
  for (int i = 0; i < legend.itemCount(); ++i)
    if (QCPAbstractLegendItem* item = legend.item(i)) {
      item->setMargins({0, 0, 0, descent});
      line = std::max(line, item->minimumOuterSizeHint().height());
    }
  const int room = width - legend.margins().left() - legend.margins().right();
  int columns = std::max(1, legend.itemCount());
  while (columns > 1 && legend_width(legend, columns) > room) --columns;
  legend.setFillOrder(QCPLayoutGrid::foColumnsFirst, false);
  if (legend.wrap() != columns) {
    legend.setWrap(columns);
    legend.setFillOrder(QCPLayoutGrid::foColumnsFirst, true);
  }
  return (legend.itemCount() + columns - 1) / columns * line;
}

QString unit_of(const QString& label) {
  const qsizetype unit = label.lastIndexOf(QLatin1Char('(')) + 1;
  return unit > 0 && label.endsWith(QLatin1Char(')')) ? label.mid(unit).chopped(1) : QString();
}

QString fitted_label(const QString& label, const QFontMetrics& metrics, int room) {
  if (metrics.horizontalAdvance(label) <= room) return label;
  const QString unit = unit_of(label), &shorter = unit.isEmpty() ? label : unit;
  constexpr qsizetype fewest_letters = 10;
  const QString cut = metrics.elidedText(shorter, Qt::ElideRight, room);
  return cut == shorter || cut.size() > fewest_letters ? cut : QString();
}

}  // namespace carryover
