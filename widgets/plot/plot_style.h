// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Only for the implementation of PlotView.
#include <qcustomplot.h>

#include <QFontMetrics>
#include <functional>
#include <vector>

#include "widgets/look/theme.h"

namespace carryover {

/// QCustomPlot writes a number as 2·10⁴ where it has a small e; some languages have a capital one.
inline QString with_small_e(QString number) {
  return number.replace(QLatin1Char('E'), QLatin1Char('e'));
}

/// Ticks with short labels (12K, 1.5M): at whole numbers only, or with names for 0, 1, 2 …, where asked.
class AxisTicker : public QCPAxisTicker {
 public:
  void set_integer(bool integer) { integer_ = integer; }
  void set_names(std::vector<QString> names) { names_ = std::move(names); }
  const std::vector<QString>& names() const { return names_; }

 protected:
  double getTickStep(const QCPRange& range) override;
  int getSubTickCount(double tick_step) override;
  QVector<double> createTickVector(double tick_step, const QCPRange& range) override;
  QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;

 private:
  bool integer_ = false;
  double step_ = 1, largest_ = 0;  ///< of the ticks being made
  std::vector<QString> names_;
};

/// The ticks of another unit on the same range.
class SecondTicker : public AxisTicker {
 public:
  explicit SecondTicker(std::function<double(double)> value) : value_(std::move(value)) {}

 protected:
  QString getTickLabel(double tick, const QLocale& locale, QChar, int) override {
    return with_small_e(locale.toString(value_(tick), 'g', 4));
  }

 private:
  std::function<double(double)> value_;
};

int ticks_within(int room);  ///< how many labelled ticks an axis of so many pixels has; a low plot has few

/// The font of titles and labels, and that of tick labels and legends.
QFont plot_font(const Theme& theme);
QFont small_plot_font(const Theme& theme);
/// Returns the unit that an axis label ends with: "nats" of "NLL (nats)"; empty if it has none.
QString unit_of(const QString& label);
/// Returns an axis label that fits into `room` pixels: "NLL (nats)"; if that is too long its unit, "nats"; else cut
/// with an ellipsis. Empty if so little would be left that it says nothing.
QString fitted_label(const QString& label, const QFontMetrics& metrics, int room);
/// Sets background, axes, grid and fonts.
void style_plot(QCustomPlot& plot, const Theme& theme);
void style_axis(QCPAxis& axis, const Theme& theme);
/// Puts the legend's items side by side, as many as fit. Returns its height in pixels.
int wrap_legend(QCPLegend& legend, int width);

}  // namespace carryover
