// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

#include "widgets/plot/plot_view.h"
#include "widgets/state/evaluation_model.h"

class QComboBox;
class QStackedWidget;

namespace carryover {

/// Figures of a task of an evaluation: a value by length, a curve a policy, with the intervals of scores; and scores of
/// one policy by slice and length. GUI thread.
class EvaluationPlot : public QWidget {
  Q_OBJECT
 public:
  explicit EvaluationPlot(QWidget* parent = nullptr);
  PlotView& curves() { return *curves_; }
  PlotView& slices() { return *slices_; }
  /// Of the task that `row` has; `column` is the policy of the slices. Draws nothing where there is no such cell.
  void draw(const EvaluationModel& model, int row, int column, EvaluationValue value);

 private:
  struct Point {
    int row, column;
    double x, y;
  };
  void draw_curves(const EvaluationModel& model, const std::vector<int>& rows, EvaluationValue value);
  void draw_slices(const EvaluationModel& model, const std::vector<int>& rows, int column);
  void add_curve_pairs(int policies);
  QString csv_rows(const EvaluationModel& model) const;
  void clear();

  QComboBox* shown_;
  QStackedWidget* pages_;
  PlotView *curves_, *slices_;
  int pairs_ = 0;              ///< curves 2i and 2i + 1: a policy and its intervals
  std::vector<Point> points_;  ///< that are drawn
  EvaluationValue value_ = EvaluationValue::Score;
  const EvaluationModel* drawn_ = nullptr;
  QString title_;  ///< of what was drawn: another one shows everything again
};

}  // namespace carryover
