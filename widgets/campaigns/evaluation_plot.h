// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

#include "widgets/campaigns/evaluation_frontier.h"
#include "widgets/campaigns/state/evaluation_model.h"
#include "widgets/plot/plot_view.h"

class QComboBox;
class QStackedWidget;

namespace carryover {

/// Figures of a task of an evaluation: a value by length, a curve a policy, with the intervals of scores; scores of one
/// policy by slice and length; and scores against bytes. GUI thread.
class EvaluationPlot : public QWidget {
  Q_OBJECT
 public:
  explicit EvaluationPlot(QWidget* parent = nullptr);
  PlotView& curves() { return *curves_; }
  PlotView& slices() { return *slices_; }
  PlotView& frontier() { return frontier_.plot(); }
  /// Draws the task of `row`; `column` is the policy of the slices. Draws nothing if there is no such cell.
  void draw(const EvaluationModel& model, int row, int column, EvaluationValue value);

 Q_SIGNALS:
  void cell_chosen(int row, int column);  ///< of the model, by the figure's task and policy

 private:
  struct Point {
    int row, column;
    double x, y;
  };
  void draw_curves(const EvaluationModel& model, const std::vector<int>& rows, EvaluationValue value);
  void draw_slices(const EvaluationModel& model, const std::vector<int>& rows, int column);
  QComboBox* add_choice(const QString& name);
  void show_choices(const EvaluationModel& model, int row, int column);
  void choose_cell();
  void show_figure();
  QString csv_rows(const EvaluationModel& model) const;
  void clear();

  enum Figure { ByLength, BySlice, ByBytes, ByBytesOfAll };
  QComboBox *shown_, *task_ = nullptr, *policy_ = nullptr;
  QStackedWidget* pages_;
  PlotView *curves_, *slices_;
  IntervalCurves policies_;  ///< of curves_
  EvaluationFrontier frontier_;
  std::vector<Point> points_;  ///< that are drawn
  EvaluationValue value_ = EvaluationValue::Score;
  const EvaluationModel* drawn_ = nullptr;
  int row_ = 0, column_ = 0;  ///< of what is drawn
  QString title_;             ///< of what was drawn: another one shows everything again
};

}  // namespace carryover
