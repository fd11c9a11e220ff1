// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "widgets/panels/panel.h"
#include "widgets/state/evaluation_model.h"
#include "widgets/tables/evaluation_cells_table.h"
#include "widgets/tables/row_filter.h"

class QComboBox;
class QLabel;
class QTableView;
class QToolButton;

namespace carryover {

class EvaluationPlot;
class EvaluationSamplesView;
class WrappingBar;

/// An evaluation while it runs and afterwards: scores of tasks and lengths under each policy, the samples of the cell
/// that is selected, and figures. A sample opens as a run; what that takes is asked for by signals. GUI thread.
class EvaluationsPanel : public Panel {
  Q_OBJECT
 public:
  explicit EvaluationsPanel(LabContext& context, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override;

  /// Once; the model outlives the panel.
  void set_model(EvaluationModel& model);
  QTableView& table() { return *cells_view_; }
  EvaluationSamplesView& samples() { return *samples_; }
  QString said() const;  ///< what stands above the table
  /// As Markdown, CSV or LaTeX, by the suffix; as far as the evaluation has got. Throws EngineError{Io, BadInput}.
  void write_table(const QString& path) const;

 Q_SIGNALS:
  void open_wanted(const QString& folder);  ///< an evaluation
  void run_wanted();                        ///< a new one
  void stop_wanted();
  void continue_wanted();
  void sample_wanted(int row, int column, int sample);  ///< of the model
  void references_wanted(int row);

 protected:
  void refresh() override;
  QString source_folder() override;

 private:
  WrappingBar* build_bar();
  QWidget* build_tables();
  void build_cells();
  void select_cell();
  void show_cell(int row, int column);
  void ask_references();
  void show_needle();
  void ask_export();
  void update_buttons();
  QString headline() const;

  EvaluationModel* model_ = nullptr;
  EvaluationCellsTable cells_;
  RowFilter filter_;
  QTableView* cells_view_;
  EvaluationSamplesView* samples_;
  EvaluationPlot* plot_;
  QComboBox* value_;
  QLabel *headline_, *problem_;
  QToolButton *stop_, *continue_, *export_;
  int row_ = 0, column_ = 0;  ///< of the model: the cell whose samples are listed
};

}  // namespace carryover
