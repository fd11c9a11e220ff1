// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include "engine/bench/bench_file.h"

namespace carryover {

class PlotView;

/// The axes of a bench's figure, which has a curve for each policy and peer.
enum class BenchPlot { TimeByTokens, MemoryByTokens, MemoryByTime };

/// One figure: `carryover export BENCH --figure NAME` names it so ("prefill-scaling", "latency-memory").
struct BenchFigure {
  BenchKind kind = BenchKind::Prefill;
  BenchPlot plot = BenchPlot::TimeByTokens;
};
QString bench_figure_name(const BenchFigure& figure);
QStringList bench_figure_names();
/// Returns the figure of this name. Throws EngineError{Usage} naming all of them.
BenchFigure bench_figure(const QString& name);

QString bench_kind_title(BenchKind kind);  ///< for people, translated
/// Returns the policy or peer, and whether it recomputed activations.
QString bench_curve_name(const BenchMeasurement& row);
/// Returns the text that a figure carries: model, machine, date and command.
QString bench_provenance(const BenchReport& bench);

/// Draws into a plot that is empty yet: titles, axes that begin at zero, curves, provenance. A colour is a policy's or
/// peer's in every figure of the bench. GUI thread.
void draw_bench(PlotView& plot, const BenchReport& bench, const BenchFigure& figure);

}  // namespace carryover
