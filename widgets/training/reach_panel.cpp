// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/training/reach_panel.h"

#include <QHBoxLayout>
#include <algorithm>
#include <limits>
#include <map>

#include "engine/base/error.h"
#include "widgets/runs/state/provenance.h"

namespace carryover {
namespace {

QString age_name(std::int64_t age) {
  return ReachPanel::tr("i − j = %1").arg(age);
}

ThemeColour age_colour(std::int64_t age) {
  return series_colour(static_cast<std::size_t>(age - 1));
}

}  // namespace

ReachPanel::ReachPanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Gradient reach"), parent),
      by_transition_(make_plot("reach_by_transition", tr("By transition"), tr("Transition j, from segment j to j + 1"),
                               tr("‖∂ℓᵢ/∂Cⱼ‖"))),
      by_age_(
          make_plot("reach_by_age", tr("By transitions crossed"), tr("Transitions crossed, i − j"), tr("‖∂ℓᵢ/∂Cⱼ‖"))),
      over_steps_(make_plot("reach_over_steps", tr("Over the run"), training_axis_label(TrainingColumn::Step),
                            tr("‖∂ℓᵢ/∂Cⱼ‖, mean"))) {
  by_transition_->set_integer_axes(true, false);
  by_age_->set_integer_axes(true, false);
  mean_ = by_age_->add_curve(tr("mean"), {series_colour(0)});
  highest_ = by_age_->add_curve(tr("highest"), {series_colour(1), true});
  lowest_ = by_age_->add_curve(tr("lowest"), {series_colour(2), true});
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  for (PlotView* plot : plots()) layout->addWidget(plot, 1);
  TrainingRuns& runs = lab.training();
  connect(&runs, &TrainingRuns::current_changed, this, [this] {
    new_run_ = true;
    request_refresh();
  });
  // A run that goes takes its columns with it.
  connect(&runs, &TrainingRuns::about_to_remove, this, [this] {
    over_steps_.set_model(nullptr);
    new_run_ = true;
    request_refresh();
  });
  connect(&runs, &TrainingRuns::run_changed, this, [this](int index) {
    if (index == context().training().current_index()) request_refresh();
  });
  connect(&runs, &TrainingRuns::step_changed, this, &Panel::request_refresh);
  connect(over_steps_.plot(), &PlotView::clicked, this, [this](double x, double /*y*/) {
    const TrainingModel* run = context().training().current();
    if (run == nullptr || run->step_count() == 0) return;
    context().training().select_step(static_cast<qsizetype>(run->nearest(TrainingColumn::Step, x)));
  });
  connect(over_steps_.plot(), &PlotView::view_changed, this, [this] {
    if (!over_steps_.plot()->following()) request_refresh();
  });
}

PlotView* ReachPanel::make_plot(const char* id, const QString& title, const QString& x_label, const QString& y_label) {
  auto* plot = new PlotView(QString::fromLatin1(id), this);
  plot->set_title(title);
  plot->set_axes(x_label, y_label);
  plot->set_empty_text(tr("No gradient crosses segments: open a training whose samples have two or more"));
  return plot;
}

void ReachPanel::draw_transitions(const std::vector<GradientReach>& reach) {
  std::map<std::int64_t, std::map<std::int64_t, double>> by_age;
  for (const GradientReach& entry : reach) by_age[entry.age][entry.transition + 1] = entry.norm;
  const auto oldest = by_age.empty() ? 0 : static_cast<int>(by_age.rbegin()->first);
  for (; age_curves_ < oldest; ++age_curves_) {
    const int curve = by_transition_->add_curve(age_name(age_curves_ + 1), {age_colour(age_curves_ + 1)});
    CARRYOVER_CHECK(curve == age_curves_);
  }
  by_transition_->clear_curves();
  for (const auto& [age, norms] : by_age)
    for (const auto& [transition, norm] : norms)
      by_transition_->append(static_cast<int>(age) - 1, static_cast<double>(transition), norm);
  for (int curve = 0; curve < age_curves_; ++curve) by_transition_->set_curve_visible(curve, by_age.count(curve + 1));
  by_transition_->fit();
}

// The line at K + ½ is where the gradient is cut: nothing crosses more transitions.
void ReachPanel::draw_ages(const std::vector<GradientReach>& reach, std::int64_t depth) {
  struct Range {
    double sum = 0, low = std::numeric_limits<double>::infinity(), high = 0;
    int count = 0;
  };
  std::map<std::int64_t, Range> ages;
  for (const GradientReach& entry : reach) {
    Range& range = ages[entry.age];
    range.sum += entry.norm;
    range.low = std::min(range.low, entry.norm);
    range.high = std::max(range.high, entry.norm);
    ++range.count;
  }
  by_age_->clear_curves();
  double top = 0;
  for (const auto& [age, range] : ages) {
    const auto x = static_cast<double>(age);
    by_age_->append(mean_, x, range.sum / range.count);
    by_age_->append(lowest_, x, range.low);
    by_age_->append(highest_, x, range.high);
    top = std::max(top, range.high);
  }
  const double cut = static_cast<double>(depth) + 0.5;
  const double right = std::max(cut, ages.empty() ? cut : static_cast<double>(ages.rbegin()->first)) + 1.0;
  by_age_->set_title(tr("By transitions crossed: cut at K = %1").arg(depth));
  by_age_->set_extent(QRectF(QPointF(0.4, 0), QPointF(right, top > 0 ? 1.1 * top : 1)));
  by_age_->set_cursor(cut);
  by_age_->fit();
}

void ReachPanel::draw_step(const TrainingModel& run, std::size_t step) {
  const std::vector<GradientReach> reach = run.reach(step);
  draw_transitions(reach);
  draw_ages(reach, run.plan().config.truncation_depth);
  by_transition_->set_title(tr("By transition, step %L1").arg(run.column(TrainingColumn::Step)[step], 0, 'f', 0));
}

void ReachPanel::draw_history(const TrainingModel& run) {
  while (over_steps_.line_count() < run.oldest_age()) {
    const int age = over_steps_.line_count() + 1;
    const int line = over_steps_.add_line(age_name(age), {age_colour(age)},
                                          [age](const TrainingModel& model) -> const std::vector<double>* {
                                            return age <= model.oldest_age() ? &model.reach_by_age(age) : nullptr;
                                          });
    over_steps_.set_line(line, age_name(age), &run);
  }
  const TrainingRuns& runs = context().training();
  over_steps_.plot()->set_cursor(runs.step_selected()
                                     ? run.column(TrainingColumn::Step)[static_cast<std::size_t>(runs.shown_step())]
                                     : std::numeric_limits<double>::quiet_NaN());
}

void ReachPanel::refresh() {
  const TrainingModel* run = context().training().current();
  if (std::exchange(new_run_, false)) {
    over_steps_.set_model(run);
    for (PlotView* plot : plots()) plot->set_provenance(run == nullptr ? QString() : training_provenance(*run));
    over_steps_.plot()->fit();
  }
  const qsizetype step = context().training().shown_step();
  if (run != nullptr && step >= 0) {
    draw_step(*run, static_cast<std::size_t>(step));
    draw_history(*run);
  } else {
    by_transition_->clear_curves();
    by_age_->clear_curves();
  }
  over_steps_.refresh();
  by_transition_->request_replot();
  by_age_->request_replot();
}

}  // namespace carryover
