// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/bench_figure.h"

#include <QFileInfo>

#include "engine/formats/json_file.h"
#include "widgets/plot/bench_plots.h"
#include "widgets/plot/plot_view.h"

namespace carryover {
namespace {

QString figure_text(const std::string& value) {
  return QString::fromStdString(value);
}

}  // namespace

bool is_bench_folder(const std::string& folder) {
  return QFileInfo::exists(figure_text(folder) + QStringLiteral("/bench.json"));
}

void make_bench_figure(const FigureRequest& request) {
  const BenchFigure figure = bench_figure(figure_text(request.figure));
  const std::string file = request.folder + "/bench.json";
  PlotView plot(figure_text(request.figure));
  plot.resize(800, 600);
  draw_bench(plot, read_bench(read_json_file(file), file), figure);
  const QString output = figure_text(request.output);
  plot.export_to(output, PlotView::format_of(output), parse_figure_size(figure_text(request.size)), request.dpi,
                 figure_style(figure_text(request.style)));
}

}  // namespace carryover
