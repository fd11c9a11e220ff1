// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Only for the implementation of PlotView.
#include <QLabel>
#include <QStackedLayout>
#include <functional>
#include <memory>

#include "widgets/plot/plot_curves.h"
#include "widgets/plot/plot_map.h"
#include "widgets/plot/plot_outlines.h"

namespace carryover {

/// The parts of a PlotView: the plot or the text in its place, title and legend above, cursors over it.
struct PlotScene {
  explicit PlotScene(QWidget* view);

  void style(const Theme& look);
  /// Arranges title and legend for a plot of this width. A plot that is lower than both leave room for does without.
  void arrange(int width, int height);
  QRectF data_bounds() const;
  void arrange_title(int width);
  bool fit_labels(int height);  ///< whether that changed one
  void apply_fit();
  void choose_y_ticker();
  void set_y_ticks(int room);   ///< as many as fit into so many pixels
  void set_x_ticks(int width);  ///< likewise, of a plot so wide; numbers always have the same
  void limit(QCPAxis* axis, const QCPRange& range, double low, double high);
  QString text_at(double x, double y) const;

  Theme theme = current_theme();  ///< theme of the drawing; a figure's while one is made
  bool titled = true;             ///< a figure may leave the title to its caption
  bool roomy = true;              ///< high enough for a title
  QString id, title, provenance, x_label, y_label, second_label;
  std::function<double(double)> second_value;  ///< of the right axis; none: there is no such axis
  std::function<QString(double, double)> hover_text;
  std::function<QString()> csv_source;
  std::function<QStringList()> remake;
  QStackedLayout* pages;
  QLabel* empty;
  QCustomPlot* plot;
  QCPTextElement* title_element = nullptr;
  QSharedPointer<AxisTicker> x_ticker{new AxisTicker}, y_ticker{new AxisTicker};
  QSharedPointer<AxisTicker> second_ticker;  ///< of the right axis; null: there is none
  QSharedPointer<QCPAxisTickerLog> log_ticker{new QCPAxisTickerLog};
  std::unique_ptr<PlotCurves> curves;
  std::unique_ptr<PlotMap> map;
  std::unique_ptr<PlotOutlines> outlines;
  QCPLayer* cursor_layer;
  struct Cursor {  ///< a line with a halo, so that it is seen on any colour of a map
    QCPItemStraightLine *halo, *line;
    void set(const QPointF& from, const QPointF& to, bool visible);
  };
  Cursor cursor, row_cursor, reference;
  double reference_x = NAN;
  QCPLayoutGrid* legend_row = nullptr;  ///< exists while the legend is shown
  QRectF extent, fitted;
  struct LeastRange {
    double low = NAN, high = NAN;
    bool is_set() const { return low < high; }
  };
  LeastRange least_x, least_y;  ///< that axes of curves show
  QSize pixels;  ///< of the plotting area as it is on the screen: the axis rect is a figure's after an export
  QPoint pressed;
  bool following = true, log_y = false;
};

}  // namespace carryover
