// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/inspection/step_table.h"
#include "widgets/lab/inspection_view.h"
#include "widgets/lab/panel.h"
#include "widgets/plot/plot_view.h"
#include "widgets/runs/state/prefix_slots.h"

class QButtonGroup;
class QLabel;
class QTableView;

namespace carryover {

/// Shows how the prefix that the selected head reads was found: summaries, scores, top-k, anchors, expansion, padding,
/// step by step, and the slots that are there after each, with the segment behind them. GUI thread.
class PrefixPanel : public Panel {
  Q_OBJECT
 public:
  explicit PrefixPanel(LabContext& context, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override { return {scores_, slots_}; }

  SearchStep step() const { return step_; }
  void go_to(SearchStep step);

 protected:
  void refresh() override;
  void unseen() override;

 private:
  QWidget* make_bar();
  void name_steps();
  void make_plots();
  void make_table();
  void clear(const QString& why);
  void draw_scores(const SearchSteps& steps);
  void draw_marks(const SearchSteps& steps);
  void draw_slots(const SearchSteps& steps);
  void follow_selection();
  void select_position(std::int64_t position);
  const SearchSteps* shown() const;

  LabContext& lab_;
  InspectionView view_;
  std::shared_ptr<const Inspection> answer_;
  SearchStep step_ = SearchStep::Padding;  ///< all of it; the walk begins at the first
  QButtonGroup* steps_;
  QLabel* what_;
  PlotView *scores_, *slots_;
  int queries_, ranked_, anchor_, expanded_, padding_;  ///< curves of marks
  std::vector<PrefixSlot> prefix_;                      ///< of the head that reads it
  StepTable table_;
  QTableView* list_;
  std::shared_ptr<const Inspection> listed_;  ///< what the table was made of, and at which step
  SearchStep listed_step_ = SearchStep::Summaries;
};

}  // namespace carryover
