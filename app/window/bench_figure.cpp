// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/bench_figure.h"

#include <QFileInfo>

#include "app/window/figure_file.h"
#include "engine/formats/json_file.h"
#include "widgets/bench/bench_plots.h"
#include "widgets/look/qstring.h"
#include "widgets/plot/plot_view.h"

namespace carryover {
bool is_bench_folder(const std::string& folder) {
  return QFileInfo::exists(qstring(folder) + QStringLiteral("/bench.json"));
}

void make_bench_figure(const FigureRequest& request) {
  const BenchFigure figure = bench_figure(qstring(request.figure));
  const std::string file = request.folder + "/bench.json";
  PlotView plot(qstring(request.figure));
  plot.resize(800, 600);
  draw_bench(plot, read_bench(read_json_file(file), file), figure);
  write_figure(plot, request);
}

}  // namespace carryover
