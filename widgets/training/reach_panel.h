// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "widgets/lab/panel.h"
#include "widgets/runs/state/provenance.h"
#include "widgets/training/training_chart.h"

namespace carryover {

/// The gradient reach (thm:tbptt-exact): ‖∂ℓ_i/∂C_j‖ of the shown step by transition and by transitions crossed, with
/// the cut at K; and by age over the whole run.
class ReachPanel : public Panel {
  Q_OBJECT
 public:
  explicit ReachPanel(LabContext& context, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override { return {by_transition_, by_age_, over_steps_.plot()}; }

 protected:
  void refresh() override;
  QString source_folder() override { return context().training().current_folder(); }

 private:
  PlotView* make_plot(const char* id, const QString& title, const QString& x_label, const QString& y_label);
  void draw_step(const TrainingModel& run, std::size_t step);
  void draw_ages(const std::vector<GradientReach>& reach, std::int64_t depth);
  void draw_transitions(const std::vector<GradientReach>& reach);
  void draw_history(const TrainingModel& run);

  PlotView *by_transition_, *by_age_;
  TrainingChart over_steps_;
  int mean_, lowest_, highest_;
  int age_curves_ = 0;  ///< of by_transition_
  bool new_run_ = true;
};

}  // namespace carryover
