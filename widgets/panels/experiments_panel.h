// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStringList>
#include <vector>

#include "widgets/panels/panel.h"
#include "widgets/state/experiment_model.h"
#include "widgets/tables/experiment_cells_table.h"
#include "widgets/tables/row_filter.h"

class QLabel;
class QLineEdit;
class QMenu;
class QTableView;
class QToolButton;

namespace carryover {

class WrappingBar;

class ExperimentPlot;

/// The cells of an experiment as a table while they run and afterwards, and any column of theirs against another. Runs
/// and trainings are opened from here; what that takes is asked for by signals.
class ExperimentsPanel : public Panel {
  Q_OBJECT
 public:
  explicit ExperimentsPanel(LabContext& context, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override;

  /// Once; the model outlives the panel.
  void set_model(ExperimentModel& model);
  void set_recent(const QStringList& folders);  ///< that can be opened again, the newest first
  QTableView& table() { return *view_; }
  QString said() const;  ///< what stands above the table

 Q_SIGNALS:
  void open_wanted(const QString& folder);  ///< an experiment
  void run_wanted();                        ///< a new one
  void stop_wanted();
  void continue_wanted();
  void cell_wanted(const QString& id);
  void pin_wanted(const QString& id);                              ///< as B
  void compare_wanted(const QString& first, const QString& with);  ///< `with` as B

 protected:
  void refresh() override;
  QString source_folder() override { return {}; }  // no command makes this figure

 private:
  QWidget* build_table();
  void add_table_actions();
  void fill_recent(QMenu& menu);
  void ask_folder();
  void update_buttons();
  QString headline() const;
  QStringList selected_cells(bool evaluations_alone) const;
  std::vector<int> shown_rows() const;

  ExperimentModel* model_ = nullptr;
  ExperimentCellsTable cells_;
  RowFilter filter_;
  QStringList recent_;
  QTableView* view_;
  ExperimentPlot* plot_;
  QLabel *headline_, *problem_;
  QToolButton *stop_, *continue_;
  QAction *open_, *pin_, *compare_;
};

}  // namespace carryover
