// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Only for the implementation of PlotView.
#include <optional>
#include <vector>

#include "widgets/plot/plot_curves.h"

namespace carryover {

/// The colour map of one plot: its cells, colours and, for numbers, the colour scale beside it.
class PlotMap {
 public:
  explicit PlotMap(QCustomPlot& plot) : plot_(plot) {}

  void set(const Map& map, const QRectF& edges, const QString& value_label, PlotView::Gradient gradient);
  void clear();
  void set_value_range(double low, double high);
  void set_categories(const std::vector<std::pair<QString, ThemeColour>>& categories);
  void restyle(const Theme& theme);
  bool fit_label(int room);  ///< pixels that the colour scale's label may be long; whether that changed it

  bool has_data() const { return !map_.values.empty(); }
  const Map& data() const { return map_; }
  QString value_label() const { return kind_ == PlotView::Gradient::Categories ? category_names() : value_label_; }
  QRectF bounds() const { return has_data() ? edges_ : QRectF(); }
  std::optional<double> value_at(double x, double y) const;  ///< none outside and where blank
  QColor colour_at(double x, double y) const;
  QString csv(const QString& x_label, const QString& y_label) const;  ///< a line a cell that is not blank
  QString text_at(double x, double y) const;

 private:
  void show_scale(bool shown);
  void apply_colours();
  QString category_names() const;  ///< "0 padding, 1 expanded, …"
  QCPColorGradient gradient() const;
  QCPRange value_range() const;

  QCustomPlot& plot_;
  QCPColorMap* item_ = nullptr;
  QCPColorScale* scale_ = nullptr;
  QCPMarginGroup* margins_ = nullptr;
  std::vector<std::pair<QString, ThemeColour>> categories_;
  std::vector<QCPGraph*> keys_;  ///< empty graphs that stand for the categories in the legend
  Map map_;
  QRectF edges_;
  QString value_label_;
  int room_ = 1'000'000;
  PlotView::Gradient kind_ = PlotView::Gradient::Viridis;
  double low_ = NAN, high_ = NAN;
  Theme theme_ = current_theme();
};

}  // namespace carryover
