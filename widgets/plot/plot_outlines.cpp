// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/plot_outlines.h"

#include <cmath>

#include "engine/base/error.h"

namespace carryover {
namespace {

constexpr double line_width = 2, halo_width = 3.6;

/// One closed line a cell, with gaps between them.
QVector<QCPCurveData> frames(const std::vector<QPointF>& centres, double inset) {
  const double half = 0.5 - inset;
  QVector<QCPCurveData> points;
  for (const QPointF& centre : centres) {
    for (const auto& [x, y] : {std::pair(-half, -half), {half, -half}, {half, half}, {-half, half}, {-half, -half}})
      points.append({static_cast<double>(points.size()), centre.x() + x, centre.y() + y});
    points.append({static_cast<double>(points.size()), NAN, NAN});
  }
  return points;
}

}  // namespace

PlotOutlines::PlotOutlines(QCustomPlot& plot) : plot_(plot) {
  plot.addLayer(QStringLiteral("outlines"), plot.layer(QStringLiteral("main")), QCustomPlot::limAbove);
}

int PlotOutlines::add(const OutlineStyle& style) {
  Outline outline{style, nullptr, nullptr};
  for (QCPCurve** curve : {&outline.halo, &outline.line}) {
    *curve = new QCPCurve(plot_.xAxis, plot_.yAxis);
    (*curve)->setLayer(QStringLiteral("outlines"));
    (*curve)->removeFromLegend();
  }
  outlines_.push_back(outline);
  style_lines(outline);
  return static_cast<int>(outlines_.size()) - 1;
}

void PlotOutlines::set(int index, const QString& name, const std::vector<QPointF>& centres) {
  CARRYOVER_CHECK(index >= 0 && index < static_cast<int>(outlines_.size()));
  const Outline& outline = outlines_[static_cast<std::size_t>(index)];
  for (QCPCurve* curve : {outline.halo, outline.line}) curve->data()->set(frames(centres, outline.style.inset), true);
  outline.line->setName(name);
  centres.empty() ? outline.line->removeFromLegend() : outline.line->addToLegend();
}

void PlotOutlines::restyle(const Theme& theme) {
  theme_ = theme;
  for (const Outline& outline : outlines_) style_lines(outline);
}

void PlotOutlines::style_lines(const Outline& outline) {
  QPen pen(outline.style.colour(theme_), line_width * theme_.pen);
  pen.setJoinStyle(Qt::MiterJoin);
  if (outline.style.dashed) pen.setDashPattern({2.5, 1.5});
  outline.line->setPen(pen);
  QColor halo = theme_.surface;
  halo.setAlphaF(0.75F);
  QPen wide(halo, halo_width * theme_.pen);
  wide.setJoinStyle(Qt::MiterJoin);
  outline.halo->setPen(wide);
}

}  // namespace carryover
