// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Only for the implementation of PlotView.
#include <optional>
#include <vector>

#include "widgets/plot/plot_style.h"
#include "widgets/plot/plot_view.h"

namespace carryover {

/// The curves of one plot: their own values (for CSV) beside the drawn ones (stacked), bounds kept as data arrives.
class PlotCurves {
 public:
  explicit PlotCurves(QCustomPlot& plot) : plot_(plot) {}

  int add(const QString& name, const CurveStyle& style);
  void append(int index, double x, double y);
  void clear(int index);
  void set_visible(int index, bool visible);
  void set_name(int index, const QString& name);
  void set_stacking(bool on);
  void restyle(const Theme& theme);

  int count() const { return static_cast<int>(curves_.size()); }
  bool has_data() const;
  QRectF bounds(bool positive_only) const;  ///< of what is visible and finite; null where nothing is
  std::vector<std::pair<double, double>> drawn(int index) const;
  QStringList names() const;
  /// Row by row: x, then each curve's value there, NaN where it has none.
  std::vector<double> table(std::int64_t& rows) const;
  QString csv(const QString& x_label) const;
  /// "name: value" lines of the points nearest to x, with the difference from `reference` where that isn't NaN.
  QString text_at(double x, double reference, const QString& second_label = {},
                  const std::function<double(double)>& second = {}) const;

 private:
  struct Curve {
    QString name;
    CurveStyle style;
    QCPGraph* graph;
    bool visible = true;
    std::vector<double> x, y, top;
  };
  static std::size_t nearest(const Curve& curve, double x);
  const Curve* base_of(std::size_t index) const;
  void draw(std::size_t index, std::size_t first);
  void redraw();
  void style_line(Curve& curve);
  static void list(const Curve& curve);
  Curve& at(int index);

  QCustomPlot& plot_;
  std::vector<Curve> curves_;
  Theme theme_ = current_theme();
  bool stacking_ = true;
};

/// Returns a number for people, with four significant digits.
QString short_number(double value);

}  // namespace carryover
