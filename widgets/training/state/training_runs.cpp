// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/training/state/training_runs.h"

#include <QDir>

#include "engine/base/error.h"

namespace carryover {

TrainingRuns::TrainingRuns(QObject* parent) : QObject(parent) {}
TrainingRuns::~TrainingRuns() = default;

TrainingModel& TrainingRuns::run(int index) const {
  CARRYOVER_CHECK(index >= 0 && index < count());
  return *runs_[static_cast<std::size_t>(index)].model;
}

TrainingModel* TrainingRuns::current() const {
  return current_ < 0 ? nullptr : &run(current_);
}

QString TrainingRuns::current_folder() const {
  const TrainingModel* run = current();
  return run == nullptr ? QString() : run->directory();
}

int TrainingRuns::index_of(const QString& directory) const {
  const QString wanted = QDir(directory).absolutePath();
  for (int i = 0; i < count(); ++i)
    if (QDir(run(i).directory()).absolutePath() == wanted) return i;
  return -1;
}

bool TrainingRuns::ticked(int index) const {
  CARRYOVER_CHECK(index >= 0 && index < count());
  return runs_[static_cast<std::size_t>(index)].ticked;
}

qsizetype TrainingRuns::shown_step() const {
  if (current_ < 0) return -1;
  const auto last = static_cast<qsizetype>(run(current_).step_count()) - 1;
  return selected_step_ >= 0 && selected_step_ <= last ? selected_step_ : last;
}

TrainingModel& TrainingRuns::add(const QString& directory, std::shared_ptr<const TrainingPlan> plan) {
  const int same = index_of(directory);
  if (same >= 0) remove(same);
  const int index = count();
  Q_EMIT about_to_add(index);
  runs_.push_back({std::make_unique<TrainingModel>(directory, std::move(plan)), true});
  watch(*runs_.back().model);
  Q_EMIT added(index);
  set_current(index);
  return run(index);
}

void TrainingRuns::watch(TrainingModel& model) {
  const auto tell = [this, &model] {
    const int index = index_of(model.directory());
    if (index >= 0) Q_EMIT run_changed(index);
  };
  connect(&model, &TrainingModel::steps_appended, this, tell);
  connect(&model, &TrainingModel::validations_appended, this, tell);
  connect(&model, &TrainingModel::alerted, this, tell);
  connect(&model, &TrainingModel::changed, this, tell);
  connect(&model, &TrainingModel::reset, this, [this, &model, tell] {
    if (current() == &model) select_step(-1);
    tell();
  });
}

void TrainingRuns::remove(int index) {
  CARRYOVER_CHECK(index >= 0 && index < count());
  Q_EMIT about_to_remove(index);
  const auto gone = std::move(runs_[static_cast<std::size_t>(index)].model);  // until nobody can look at it any more
  runs_.erase(runs_.begin() + index);
  const int now = current_ > index ? current_ - 1 : std::min(current_, count() - 1);
  const bool other = current_ == index;
  current_ = now;
  if (other) selected_step_ = -1;
  Q_EMIT removed(index);
  if (other) Q_EMIT current_changed();
}

void TrainingRuns::set_current(int index) {
  CARRYOVER_CHECK(index >= 0 && index < count());
  if (index == current_) return;
  current_ = index;
  selected_step_ = -1;
  Q_EMIT current_changed();
}

void TrainingRuns::set_ticked(int index, bool ticked) {
  CARRYOVER_CHECK(index >= 0 && index < count());
  bool& now = runs_[static_cast<std::size_t>(index)].ticked;
  if (now == ticked) return;
  now = ticked;
  Q_EMIT ticked_changed(index);
}

void TrainingRuns::select_step(qsizetype index) {
  if (index == selected_step_) return;
  selected_step_ = index;
  Q_EMIT step_changed();
}

}  // namespace carryover
