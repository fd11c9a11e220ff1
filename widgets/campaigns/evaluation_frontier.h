// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QCoreApplication>

#include "engine/campaigns/evaluations/score_frontier.h"
#include "widgets/campaigns/state/evaluation_model.h"
#include "widgets/plot/interval_curves.h"

namespace carryover {

/// The figure of an evaluation's scores against attention-visible KV: a curve a policy, a point a
/// length, with intervals. GUI thread.
class EvaluationFrontier {
  Q_DECLARE_TR_FUNCTIONS(EvaluationFrontier)
 public:
  explicit EvaluationFrontier(QWidget* parent);
  PlotView& plot() { return *plot_; }
  /// Draws the task of `row`, or the means of all tasks that have its metric.
  void draw(const EvaluationModel& model, int row, bool all_tasks);
  void clear();

 private:
  PlotView* plot_;
  IntervalCurves curves_;
  QString csv_;  ///< what is drawn
};

}  // namespace carryover
