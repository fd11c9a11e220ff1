// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStringList>
#include <vector>

#include "widgets/campaigns/experiment_cells_table.h"
#include "widgets/campaigns/folder_panel.h"
#include "widgets/campaigns/state/experiment_model.h"

class QMenu;

namespace carryover {

class ExperimentPlot;

/// The cells of an experiment as a table while they run and afterwards, and any column of theirs against another. Runs
/// and trainings are opened from here; what that takes is asked for by signals.
class ExperimentsPanel : public FolderPanel {
  Q_OBJECT
 public:
  explicit ExperimentsPanel(LabContext& context, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override;

  /// Once; the model outlives the panel.
  void set_model(ExperimentModel& model);
  void set_recent(const QStringList& folders);  ///< that can be opened again, the newest first

 Q_SIGNALS:
  void cell_wanted(const QString& id);
  void pin_wanted(const QString& id);                              ///< as B
  void compare_wanted(const QString& first, const QString& with);  ///< `with` as B

 protected:
  void refresh() override;
  void update_buttons() override;
  QString introduction() const override;
  QString description() const override;
  bool unfinished() const override;

 private:
  QWidget* build_side();
  void build_cells();
  void add_table_actions();
  void fill_recent(QMenu& menu);
  QStringList selected_cells(bool evaluations_alone) const;
  std::vector<int> shown_rows() const;

  ExperimentModel* model_ = nullptr;
  ExperimentCellsTable* cells_;
  QStringList recent_;
  ExperimentPlot* plot_;
  QAction *open_, *pin_, *compare_;
};

}  // namespace carryover
