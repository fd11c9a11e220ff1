// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "widgets/campaigns/evaluation_cells_table.h"
#include "widgets/campaigns/folder_panel.h"
#include "widgets/campaigns/state/evaluation_model.h"

class QComboBox;

namespace carryover {

class EvaluationPlot;
class EvaluationSamplesView;

/// An evaluation while it runs and afterwards: scores of tasks and lengths under each policy, the samples of the cell
/// that is selected, and figures. A sample opens as a run; what that takes is asked for by signals. GUI thread.
class EvaluationsPanel : public FolderPanel {
  Q_OBJECT
 public:
  explicit EvaluationsPanel(LabContext& context, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override;

  /// Once; the model outlives the panel.
  void set_model(EvaluationModel& model);
  EvaluationSamplesView& samples() { return *samples_; }
  /// Writes the table as Markdown, CSV or LaTeX, by the suffix; as far as the evaluation has got. Throws
  /// EngineError{Io, BadInput}.
  void write_table(const QString& path) const;

 Q_SIGNALS:
  void sample_wanted(int row, int column, int sample);  ///< of the model
  void references_wanted(int row);

 protected:
  void refresh() override;
  void update_buttons() override;
  QString introduction() const override;
  QString description() const override;
  bool unfinished() const override;
  QString source_folder() override;

 private:
  QWidget* build_side();
  void build_cells();
  void select_cell();
  void show_cell(int row, int column);
  void ask_references();
  void show_needle();
  void ask_export();

  EvaluationModel* model_ = nullptr;
  EvaluationCellsTable* cells_;
  EvaluationSamplesView* samples_;
  EvaluationPlot* plot_;
  QComboBox* value_;
  QToolButton* export_;
  int row_ = 0, column_ = 0;  ///< of the model: the cell whose samples are listed
};

}  // namespace carryover
