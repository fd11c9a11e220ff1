// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>

#include "widgets/campaigns/prompts_table.h"
#include "widgets/lab/panel.h"
#include "widgets/tables/row_filter.h"

class QAction;
class QLabel;
class QSplitter;
class QTableView;

namespace carryover {

class PromptsForm;

/// A prompt set: what is to be run, its examples with their numbers while they run and afterwards, and means over all
/// and over each tag. An example opens as the run that it is. It runs nothing itself. GUI thread.
class PromptsPanel : public Panel {
  Q_OBJECT
 public:
  explicit PromptsPanel(LabContext& context, QWidget* parent = nullptr);

  PromptsForm& form() { return *form_; }
  QTableView& examples() { return *examples_view_; }
  QTableView& slices() { return *slices_view_; }
  QString said() const;  ///< what stands above the tables
  const QString& folder() const { return folder_; }

  void set_report(const QString& folder, const std::shared_ptr<const PromptReport>& report);  ///< null: none yet
  void set_progress(const QString& what);                                                     ///< empty: nothing runs
  void set_problem(const QString& problem);

 Q_SIGNALS:
  void open_wanted(const QString& folder);  ///< a prompt set that has been run
  void example_wanted(const QString& folder);
  void pair_wanted(const QString& folder, const QString& against);  ///< `against` as B

 protected:
  void refresh() override;
  void resizeEvent(QResizeEvent* event) override;
  QString source_folder() override { return {}; }

 private:
  QWidget* build_tables();
  QString folder_of(const QModelIndex& index, bool of_control) const;  ///< absolute; empty where there is none
  void open_selected(bool with_control);

  const LabContext& lab_;
  PromptsForm* form_;
  PromptExamplesTable examples_;
  PromptSlicesTable slices_;
  RowFilter filter_;
  QTableView *examples_view_, *slices_view_;
  QSplitter* split_;
  QLabel* said_;
  QString folder_, progress_, problem_;
  std::shared_ptr<const PromptReport> report_;
};

}  // namespace carryover
