// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "widgets/lab/panel.h"
#include "widgets/training/training_chart.h"
#include "widgets/training/training_runs_table.h"

class QDoubleSpinBox;
class QTableView;
class QToolButton;

namespace carryover {

/// The training runs as a list, and the smoothed losses of the ticked ones in one plot. Runs are started, opened,
/// followed and gone on with from here; what that takes is asked for by signals.
class TrainingRunsPanel : public Panel {
  Q_OBJECT
 public:
  explicit TrainingRunsPanel(LabContext& context, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override { return {chart_.plot()}; }

 Q_SIGNALS:
  void finetune_wanted();
  void open_wanted(const QString& directory);    ///< a run's folder, finished or being written
  void resume_wanted(const QString& directory);  ///< go on from its newest checkpoint

 protected:
  void refresh() override;
  QString source_folder() override { return {}; }  // it draws several at once

 private:
  QWidget* build_list();
  QWidget* build_plot();
  void ask_folder();
  void update_buttons();
  int selected_row() const;

  TrainingRunsTable table_;
  TrainingChart chart_;
  QTableView* view_;
  QDoubleSpinBox* smoothing_;
  QToolButton *resume_, *remove_;
};

}  // namespace carryover
