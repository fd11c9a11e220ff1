// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

#include "widgets/plot/plot_view.h"
#include "widgets/state/experiment_model.h"

class QComboBox;

namespace carryover {

/// A column of an experiment's cells against another, a point each: of each recipe a colour, or of each evaluation
/// where recipes are the axis. GUI thread.
class ExperimentPlot : public QWidget {
  Q_OBJECT
 public:
  explicit ExperimentPlot(QWidget* parent = nullptr);
  PlotView& plot() { return *plot_; }
  void draw(const ExperimentModel& model);

 Q_SIGNALS:
  void choice_changed();

 private:
  struct Point;
  QComboBox* add_choice(const QString& name, bool numbers_alone, CellColumn chosen);
  std::vector<Point> points(const ExperimentModel& model, CellColumn x, CellColumn y) const;
  QString rows(const ExperimentModel& model) const;

  PlotView* plot_;
  QComboBox *x_, *y_;
  int curves_ = 0;
  const ExperimentModel* drawn_ = nullptr;
  CellColumn drawn_x_ = CellColumn::Recipe, drawn_y_ = CellColumn::Perplexity;
};

}  // namespace carryover
