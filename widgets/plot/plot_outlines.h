// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Only for the implementation of PlotView.
#include <vector>

#include "widgets/plot/plot_style.h"
#include "widgets/plot/plot_view.h"

namespace carryover {

/// Frames around cells of a plot's map, drawn over it with a halo, so that they are seen on any colour.
class PlotOutlines {
 public:
  explicit PlotOutlines(QCustomPlot& plot);

  int add(const OutlineStyle& style);
  void set(int index, const QString& name, const std::vector<QPointF>& centres);
  void restyle(const Theme& theme);

 private:
  struct Outline {
    OutlineStyle style;
    QCPCurve *halo, *line;
  };
  void style_lines(const Outline& outline);

  QCustomPlot& plot_;
  std::vector<Outline> outlines_;
  Theme theme_ = current_theme();
};

}  // namespace carryover
