// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/figure_file.h"

#include "widgets/look/qstring.h"
#include "widgets/plot/plot_view.h"

namespace carryover {

void write_figure(PlotView& plot, const FigureRequest& request) {
  if (const std::vector<double>& view = request.view; !view.empty()) plot.zoom_to(view[0], view[1], view[2], view[3]);
  const QString output = qstring(request.output);
  plot.export_to(output, PlotView::format_of(output), parse_figure_size(qstring(request.size)), request.dpi,
                 figure_style(qstring(request.style)));
}

}  // namespace carryover
