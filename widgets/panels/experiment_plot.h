// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>
#include <vector>

#include "widgets/plot/plot_view.h"
#include "widgets/state/experiment_model.h"

class QCheckBox;
class QComboBox;

namespace carryover {

/// A column of an experiment's cells against another, a point each: of each recipe a colour, or of each evaluation
/// where recipes are the axis. GUI thread.
class ExperimentPlot : public QWidget {
  Q_OBJECT
 public:
  explicit ExperimentPlot(QWidget* parent = nullptr);
  PlotView& plot() { return *plot_; }
  /// Of these rows of the model, which others don't see.
  void draw(const ExperimentModel& model, std::vector<int> rows);

 Q_SIGNALS:
  void choice_changed();

 private:
  struct Point;
  QComboBox* add_choice(const QString& name, bool numbers_alone, CellColumn chosen);
  std::vector<Point> points(const ExperimentModel& model, const std::vector<int>& rows) const;
  void add_points(const std::vector<Point>& points, const std::vector<QString>& series);
  QString csv_rows(const ExperimentModel& model) const;
  bool choose_scale(const std::vector<Point>& points);

  PlotView* plot_;
  QComboBox *x_, *y_;
  QCheckBox* log_;
  int curves_ = 0;
  bool drawn_log_ = false;
  std::vector<int> rows_;
  const ExperimentModel* drawn_ = nullptr;
  CellColumn drawn_x_ = CellColumn::Recipe, drawn_y_ = CellColumn::Perplexity;  ///< what points() are of
};

}  // namespace carryover
