// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/bench_figure.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <algorithm>
#include <map>

#include "engine/core/error.h"
#include "engine/io/json_file.h"
#include "widgets/plot_view.h"

namespace carryover {
namespace {

using nlohmann::json;

QString text(const std::string& value) {
  return QString::fromStdString(value);
}

struct BenchFigure {
  Q_DECLARE_TR_FUNCTIONS(BenchFigure)
};

QString provenance(const json& bench) {
  QStringList command;
  for (const json& word : bench.at("command_line")) command += text(word.get<std::string>());
  const json& model = bench.at("model");
  const json& machine = bench.at("machine");
  return BenchFigure::tr("Model: %1, weights %2\nMachine: %3, %4 threads\nMeasured: %5\nCommand: %6")
      .arg(text(model.at("name").get<std::string>()), text(model.at("weights_hash").get<std::string>()),
           text(machine.at("processor").get<std::string>()), text(machine.at("threads").dump()),
           text(bench.at("date").get<std::string>()), command.join(QLatin1Char(' ')));
}

/// The prefills as curves, on axes that begin at zero; of a memory curve, those whose memory is known.
void add_curves(PlotView& plot, const json& bench, bool memory) {
  std::map<std::string, int> curves;
  QRectF shown;
  for (const json& row : bench.at("measurements")) {
    if (row.at("what") != "prefill" || (memory && row.at("peak_bytes").is_null())) continue;
    const std::string who = row.at("who");
    if (!curves.contains(who)) curves[who] = plot.add_curve(text(who), {series_colour(curves.size())});
    const double seconds = row.at("median_s");
    const QPointF point = memory ? QPointF(seconds, row.at("peak_bytes").get<double>() / 1e9)
                                 : QPointF(row.at("tokens").get<double>(), seconds);
    plot.append(curves[who], point.x(), point.y());
    shown.setRight(std::max(shown.right(), 1.05 * point.x()));
    shown.setBottom(std::max(shown.bottom(), 1.05 * point.y()));
  }
  plot.set_extent(shown);
}

}  // namespace

bool is_bench_folder(const std::string& folder) {
  return QFileInfo::exists(text(folder) + QStringLiteral("/bench.json"));
}

void make_bench_figure(const FigureRequest& request) {
  const bool memory = request.figure == "latency-memory";
  if (!memory && request.figure != "prefill-scaling")
    throw EngineError(Fault::Usage, "--figure", "'" + request.figure + "' is no figure of a bench",
                      "Use prefill-scaling or latency-memory.");
  const std::string file = request.folder + "/bench.json";
  const json bench = read_json_file(file);
  PlotView plot(text(request.figure));
  plot.resize(800, 600);
  plot.set_title(memory ? BenchFigure::tr("Memory and time of a prefill") : BenchFigure::tr("Time of a prefill"));
  if (memory)
    plot.set_axes(BenchFigure::tr("Prefill (s)"), BenchFigure::tr("Peak memory (GB)"));
  else
    plot.set_axes(BenchFigure::tr("Context (tokens)"), BenchFigure::tr("Prefill (s)"));
  try {
    add_curves(plot, bench, memory);
    plot.set_provenance(provenance(bench));
  } catch (const json::exception& error) {
    throw EngineError(Fault::BadInput, file, std::string("has the wrong fields: ") + error.what(),
                      "Use a folder that `carryover bench --output` wrote.");
  }
  const QString output = text(request.output);
  plot.export_to(output, PlotView::format_of(output), parse_figure_size(text(request.size)), request.dpi,
                 figure_style(text(request.style)));
}

}  // namespace carryover
