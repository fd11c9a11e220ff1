// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "widgets/lab/panel.h"
#include "widgets/plot/plot_view.h"
#include "widgets/runs/run_digests_table.h"
#include "widgets/runs/state/hit_distances.h"

class QComboBox;
class QTableView;
class QToolButton;

namespace carryover {

/// The distances at which heads read: the runs of the session as a list; the distances of each head in the current run;
/// and over the ticked runs either one head's distances, run by run, or how consistent each head is.
class DistancePanel : public Panel {
  Q_OBJECT
 public:
  explicit DistancePanel(LabContext& context, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override { return {heads_, runs_, consistency_}; }

 protected:
  void refresh() override;

 private:
  QWidget* build_list();
  QWidget* build_runs();
  void measure();
  void draw_heads();
  void draw_runs();
  void draw_consistency();
  void select_head(double x, double y);
  QString head_text(double x, double y) const;

  RunDigestsTable table_;
  QTableView* view_;
  QToolButton* remove_;
  QComboBox* over_runs_;
  PlotView *heads_, *runs_, *consistency_;
  std::vector<int> curves_;               ///< of runs_, one a run at most
  std::vector<HeadDistances> distances_;  ///< of the current run, within the range
  int measured_ = -1;                     ///< segments in them; -1: another run or range
  std::vector<int> layers_;               ///< rows of the consistency map
};

}  // namespace carryover
