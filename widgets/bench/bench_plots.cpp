// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bench/bench_plots.h"

#include <QCoreApplication>
#include <QRectF>
#include <QStringList>
#include <algorithm>
#include <optional>
#include <vector>

#include "engine/base/error.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/qstring.h"
#include "widgets/plot/plot_view.h"

namespace carryover {
namespace {

struct BenchPlots {
  Q_DECLARE_TR_FUNCTIONS(BenchPlots)
};

constexpr BenchPlot all_plots[] = {BenchPlot::TimeByTokens, BenchPlot::MemoryByTokens, BenchPlot::MemoryByTime};

std::vector<BenchFigure> all_figures() {
  std::vector<BenchFigure> figures;
  for (const BenchKind kind : bench_kinds)
    for (const BenchPlot plot : all_plots) figures.push_back({kind, plot});
  return figures;
}

QString time_label(BenchKind kind) {
  switch (kind) {
    case BenchKind::Prefill:
      return BenchPlots::tr("Prefill (s)");
    case BenchKind::Decode:
      return BenchPlots::tr("Decoded token (ms)");
    default:
      return BenchPlots::tr("Training step (s)");
  }
}

QString tokens_label(BenchKind kind) {
  return kind == BenchKind::Train ? BenchPlots::tr("Sample (tokens)") : BenchPlots::tr("Context (tokens)");
}

double shown_time(const BenchMeasurement& row) {
  return row.kind == BenchKind::Decode ? 1000 * row.median_s : row.median_s;
}

/// Returns the point of a measurement; nothing if its memory is not known.
std::optional<QPointF> point_of(const BenchMeasurement& row, BenchPlot plot) {
  if (plot == BenchPlot::TimeByTokens) return QPointF(static_cast<double>(row.tokens), shown_time(row));
  if (!row.peak_bytes) return std::nullopt;
  const double x = plot == BenchPlot::MemoryByTime ? shown_time(row) : static_cast<double>(row.tokens);
  return QPointF(x, static_cast<double>(*row.peak_bytes) / 1e9);
}

void add_curves(PlotView& plot, const BenchReport& bench, const BenchFigure& figure) {
  QStringList names;  // of all rows of this kind, so that colours don't depend on what is known of whom
  for (const BenchMeasurement& row : bench.measurements)
    if (row.kind == figure.kind && !names.contains(bench_curve_name(row))) names += bench_curve_name(row);
  QRectF shown;
  for (qsizetype i = 0; i < names.size(); ++i) {
    int curve = -1;
    for (const BenchMeasurement& row : bench.measurements) {
      const auto point =
          row.kind == figure.kind && bench_curve_name(row) == names[i] ? point_of(row, figure.plot) : std::nullopt;
      if (!point) continue;
      if (curve < 0) curve = plot.add_curve(names[i], {series_colour(static_cast<std::size_t>(i))});
      plot.append(curve, point->x(), point->y());
      shown.setRight(std::max(shown.right(), 1.05 * point->x()));
      shown.setBottom(std::max(shown.bottom(), 1.05 * point->y()));
    }
  }
  plot.set_extent(shown);
}

}  // namespace

QString bench_figure_name(const BenchFigure& figure) {
  const QString kind = QString::fromUtf8(bench_kind_name(figure.kind).data());
  switch (figure.plot) {
    case BenchPlot::TimeByTokens:
      return kind + QStringLiteral("-scaling");
    case BenchPlot::MemoryByTokens:
      return kind + QStringLiteral("-memory");
    default:
      return (figure.kind == BenchKind::Prefill ? QString() : kind + u'-') + QStringLiteral("latency-memory");
  }
}

QStringList bench_figure_names() {
  QStringList names;
  for (const BenchFigure& figure : all_figures()) names += bench_figure_name(figure);
  return names;
}

BenchFigure bench_figure(const QString& name) {
  for (const BenchFigure& figure : all_figures())
    if (bench_figure_name(figure) == name) return figure;
  throw EngineError(Fault::Usage, "--figure", "'" + name.toStdString() + "' is not a figure of a bench",
                    "Use one of " + bench_figure_names().join(QStringLiteral(", ")).toStdString() + ".");
}

QString bench_kind_title(BenchKind kind) {
  switch (kind) {
    case BenchKind::Prefill:
      return BenchPlots::tr("Prefill");
    case BenchKind::Decode:
      return BenchPlots::tr("Decoding");
    default:
      return BenchPlots::tr("Training step");
  }
}

QString bench_curve_name(const BenchMeasurement& row) {
  return row.checkpointing ? BenchPlots::tr("%1, recomputed").arg(qstring(row.who)) : qstring(row.who);
}

QString bench_provenance(const BenchReport& bench) {
  QStringList command;
  for (const std::string& word : bench.command_line) command += qstring(word);
  return filled(BenchPlots::tr("Model: %1, weights %2\nMachine: %3, %4 threads\nMeasured: %5\nCommand: %6"),
                qstring(bench.model), qstring(bench.weights_hash), qstring(bench.processor),
                static_cast<qlonglong>(bench.threads), qstring(bench.date), command.join(QLatin1Char(' ')));
}

void draw_bench(PlotView& plot, const BenchReport& bench, const BenchFigure& figure) {
  const QString kind = bench_kind_title(figure.kind);
  const bool time = figure.plot == BenchPlot::TimeByTokens;
  plot.set_title((time                                       ? BenchPlots::tr("%1: time by length")
                  : figure.plot == BenchPlot::MemoryByTokens ? BenchPlots::tr("%1: memory by length")
                                                             : BenchPlots::tr("%1: memory by time"))
                     .arg(kind));
  plot.set_axes(figure.plot == BenchPlot::MemoryByTime ? time_label(figure.kind) : tokens_label(figure.kind),
                time ? time_label(figure.kind) : BenchPlots::tr("Peak memory (GB)"));
  plot.set_empty_text(time ? BenchPlots::tr("Nothing was measured") : BenchPlots::tr("No memory was measured"));
  add_curves(plot, bench, figure);
  plot.set_provenance(bench_provenance(bench));
  plot.request_replot();
}

}  // namespace carryover
