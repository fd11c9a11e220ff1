// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <vector>

#include "widgets/plot/decimator.h"
#include "widgets/plot/plot_view.h"
#include "widgets/training/state/training_model.h"

namespace carryover {

/// Curves over the steps of training runs in one plot. The plot holds what a screen can show (Decimator), finer where
/// somebody has zoomed in; hover texts and CSV come from the runs themselves, whole. GUI thread.
class TrainingChart {
 public:
  /// Returns the column of a run that a curve shows; null if the run has no such column.
  using Values = std::function<const std::vector<double>*(const TrainingModel&)>;

  explicit TrainingChart(PlotView* plot);
  TrainingChart(const TrainingChart&) = delete;

  PlotView* plot() const { return plot_; }
  /// Adds a line. `leader` decides which points are drawn, for stacked curves, which need the same ones; by default the
  /// line's own values decide.
  int add_line(const QString& name, const CurveStyle& style, Values values, Values leader = {});
  int line_count() const { return static_cast<int>(lines_.size()); }
  void set_line(int line, const QString& name, const TrainingModel* model);  ///< null: not shown
  void set_model(const TrainingModel* model);                                ///< of all lines
  void set_smoothing(int line, double weight);  ///< exponential mean: share of the past, in [0, 1)
  void set_axis(TrainingColumn axis);           ///< Step, Tokens or Minutes
  TrainingColumn axis() const { return axis_; }
  void refresh();  ///< draws what is new

 private:
  struct Line {
    int curve;
    Values values, leader;
    const TrainingModel* model = nullptr;
    QString name;
    std::uint64_t revision = 0;  ///< of the run, when its points were taken in
    Decimator decimator;
    double weight = 0;
    std::vector<double> smooth;
    double mean = 0, mass = 0;  ///< of the exponential mean: Σ w·x and Σ w
    std::vector<double> drawn;  ///< what the curve was drawn for: size, axis and visible range
  };
  static const std::vector<double>* shown_values(const Line& line);
  void clear(Line& line);
  void extend_smooth(Line& line, const std::vector<double>& values);
  void draw(Line& line);
  QString hover_text(double x) const;
  QString csv() const;

  PlotView* plot_;
  std::vector<Line> lines_;
  TrainingColumn axis_ = TrainingColumn::Step;
};

/// Returns the label of an axis over steps.
QString training_axis_label(TrainingColumn axis);

}  // namespace carryover
