// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/inspection/recall_table.h"
#include "widgets/lab/inspection_view.h"
#include "widgets/lab/panel.h"
#include "widgets/plot/plot_view.h"
#include "widgets/tables/number_sort.h"

class QLabel;
class QTableView;

namespace carryover {

/// How much retrieval missed in the selected segment, head by head: recall@R and the attention mass of what was
/// retrieved, beside the most that R positions could hold. GUI thread.
class RecallPanel : public Panel {
  Q_OBJECT
 public:
  explicit RecallPanel(LabContext& context, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override { return {plot_}; }

 protected:
  void refresh() override;
  void unseen() override;

 private:
  void draw(const std::vector<HeadRecall>& heads);
  void select_row(int row);
  QString text_at(double x) const;

  LabContext& lab_;
  InspectionView view_;
  std::shared_ptr<const Inspection> answer_;
  RecallTable table_;
  NumberSort sorted_;
  QTableView* list_;
  QLabel* what_;
  PlotView* plot_;
  int mass_, oracle_, recall_;  ///< curves
};

}  // namespace carryover
