// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/figure_file.h"

#include <QStringList>

#include "widgets/look/qstring.h"
#include "widgets/plot/plot_view.h"

namespace carryover {
namespace {

QStringList command_of(const FigureRequest& request) {
  QStringList words{QStringLiteral("carryover"), QStringLiteral("export"), qstring(request.folder),
                    QStringLiteral("--figure"), qstring(request.figure)};
  for (const std::string& choice : request.choices) words += {QStringLiteral("--choose"), qstring(choice)};
  QStringList edges;
  for (const double edge : request.view) edges += QString::number(edge, 'g', 9);
  if (!edges.isEmpty()) words += QStringLiteral("--view=") + edges.join(QLatin1Char(','));
  return words;
}

}  // namespace

void write_figure(PlotView& plot, const FigureRequest& request) {
  if (const std::vector<double>& view = request.view; !view.empty()) plot.zoom_to(view[0], view[1], view[2], view[3]);
  plot.set_remake([&request] { return command_of(request); });
  const QString output = qstring(request.output);
  plot.export_to(output, PlotView::format_of(output), parse_figure_size(qstring(request.size)), request.dpi,
                 figure_style(qstring(request.style)));
}

}  // namespace carryover
