// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/training/state/training_model.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/error.h"
#include "widgets/look/quantity_text.h"

namespace carryover {
namespace {

constexpr std::size_t kept_steps = 24;  ///< with their segments: enough to look back, and bounded
constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

/// The column of one of several curves, made where it is new: steps before it had none.
std::vector<double>& nth(std::vector<std::vector<double>>& columns, std::size_t index, std::size_t steps_before) {
  while (columns.size() <= index) columns.emplace_back(steps_before, not_measured);
  return columns[index];
}

std::uint64_t next_revision() {
  static std::uint64_t last = 0;
  return ++last;
}

}  // namespace

QString training_state_name(TrainingState state) {
  switch (state) {
    case TrainingState::Preparing:
      return TrainingModel::tr("preparing");
    case TrainingState::Running:
      return TrainingModel::tr("running");
    case TrainingState::Paused:
      return TrainingModel::tr("paused");
    case TrainingState::Stopping:
      return TrainingModel::tr("stopping");
    case TrainingState::Stopped:
      return TrainingModel::tr("stopped");
    case TrainingState::Finished:
      return TrainingModel::tr("finished");
    case TrainingState::Failed:
      return TrainingModel::tr("failed");
    case TrainingState::Attached:
      return TrainingModel::tr("following");
  }
  return {};
}

TrainingModel::TrainingModel(QString directory, std::shared_ptr<const TrainingPlan> plan, QObject* parent)
    : QObject(parent), directory_(std::move(directory)), plan_(std::move(plan)), revision_(next_revision()) {
  CARRYOVER_CHECK(plan_ != nullptr);
}

QString TrainingModel::name() const {
  return QFileInfo(QDir::cleanPath(directory_)).fileName();
}

QString TrainingModel::model_name() const {
  return QFileInfo(QDir::cleanPath(QString::fromStdString(plan_->model))).fileName();
}

bool TrainingModel::active() const {
  return state_ == TrainingState::Preparing || state_ == TrainingState::Running || state_ == TrainingState::Paused ||
         state_ == TrainingState::Stopping;
}

std::vector<double>& TrainingModel::grown(TrainingColumn which) {
  return columns_[static_cast<std::size_t>(which)];
}
const std::vector<double>& TrainingModel::column(TrainingColumn which) const {
  return columns_[static_cast<std::size_t>(which)];
}

const std::vector<double>& TrainingModel::segment_loss(int segment) const {
  return segment_loss_.at(static_cast<std::size_t>(segment));
}

const std::vector<double>& TrainingModel::reach_by_age(int age) const {
  return reach_by_age_.at(static_cast<std::size_t>(age - 1));
}

std::vector<GradientReach> TrainingModel::reach(std::size_t index) const {
  std::vector<GradientReach> found;
  for (std::size_t i = index == 0 ? 0 : reach_ends_.at(index - 1); i < reach_ends_.at(index); ++i) {
    const Reach& entry = reach_[i];
    found.push_back({entry.transition, entry.age, entry.terms, static_cast<double>(entry.norm)});
  }
  return found;
}

void TrainingModel::add_reach(const std::vector<GradientReach>& reach) {
  const std::size_t before = step_count() - 1;
  std::vector<double> sums, counts;
  for (const GradientReach& entry : reach) {
    const auto age = static_cast<std::size_t>(std::max<std::int64_t>(1, entry.age));
    if (sums.size() < age) sums.resize(age), counts.resize(age);
    sums[age - 1] += entry.norm;
    counts[age - 1] += 1;
    reach_.push_back({static_cast<std::int32_t>(entry.transition), static_cast<std::int32_t>(age),
                      static_cast<std::int32_t>(entry.terms), static_cast<float>(entry.norm)});
  }
  reach_ends_.push_back(reach_.size());
  for (std::size_t i = 0; i < std::max(sums.size(), reach_by_age_.size()); ++i)
    nth(reach_by_age_, i, before).push_back(i < sums.size() && counts[i] > 0 ? sums[i] / counts[i] : not_measured);
}

void TrainingModel::add(const StepRecord& record) {
  using Column = TrainingColumn;
  const auto put = [this](Column which, double value) { grown(which).push_back(value); };
  const auto& minutes = column(Column::Minutes);
  const double before = minutes.empty() ? 0 : minutes.back();
  put(Column::Step, static_cast<double>(record.step));
  put(Column::Tokens, static_cast<double>(record.tokens));
  put(Column::Minutes, before + record.seconds / 60);
  put(Column::Loss, record.loss);
  put(Column::RecallLoss, record.recall_loss.value_or(not_measured));
  put(Column::LearningRate, record.learning_rate);
  put(Column::GradientNorm, record.gradient_norm);
  put(Column::TokensPerSecond, record.tokens_per_second);
  const MemoryBytes& bytes = record.memory;
  const std::int64_t graph = bytes.graph - bytes.attention_kv - bytes.carry - bytes.pool;
  double total = 0;
  for (const auto& [which, kind] :
       {std::pair(Column::WeightsMb, bytes.weights), std::pair(Column::GradientsMb, bytes.gradients),
        std::pair(Column::OptimizerMb, bytes.optimizer), std::pair(Column::GraphMb, std::max<std::int64_t>(0, graph)),
        std::pair(Column::AttentionKvMb, bytes.attention_kv), std::pair(Column::CarryMb, bytes.carry),
        std::pair(Column::PoolMb, bytes.pool)}) {
    put(which, megabytes(kind));
    total += megabytes(kind);
  }
  put(Column::TotalMb, total);
  put(Column::PeakMb, megabytes(bytes.device_peak));
  const std::size_t steps_before = step_count() - 1;
  for (std::size_t i = 0; i < std::max(record.segment_loss.size(), segment_loss_.size()); ++i)
    nth(segment_loss_, i, steps_before)
        .push_back(i < record.segment_loss.size() ? record.segment_loss[i] : not_measured);
  add_reach(record.reach);
}

void TrainingModel::keep(std::shared_ptr<const StepSnapshot> snapshot) {
  if (snapshot->segments.empty()) return;
  kept_.push_back(std::move(snapshot));
  if (kept_.size() > kept_steps) kept_.erase(kept_.begin());
}

// The same step may come twice, from the training and from its folder.
bool TrainingModel::is_new(const StepRecord& record) const {
  const auto& steps = column(TrainingColumn::Step);
  return steps.empty() || static_cast<double>(record.step) > steps.back();
}

void TrainingModel::tell_appended(std::size_t first) {
  if (step_count() > first)
    Q_EMIT steps_appended(static_cast<qsizetype>(first), static_cast<qsizetype>(step_count()) - 1);
}

void TrainingModel::append(const std::vector<std::shared_ptr<const StepSnapshot>>& steps) {
  const std::size_t first = step_count();
  for (const auto& step : steps) {
    if (!is_new(step->record)) continue;
    add(step->record);
    keep(step);
  }
  tell_appended(first);
}

void TrainingModel::append(const std::vector<StepRecord>& steps) {
  const std::size_t first = step_count();
  for (const StepRecord& step : steps)
    if (is_new(step)) add(step);
  tell_appended(first);
}

void TrainingModel::append_validations(const std::vector<ValidationRecord>& records) {
  const std::size_t before = validations_.size();
  for (const ValidationRecord& record : records)
    if (validations_.empty() || record.step > validations_.back().step) validations_.push_back(record);
  if (validations_.size() > before) Q_EMIT validations_appended();
}

void TrainingModel::append_alert(const TrainingAlert& alert) {
  alerts_.push_back(alert);
  Q_EMIT alerted();
}

void TrainingModel::set_state(TrainingState state) {
  if (state == state_) return;
  state_ = state;
  Q_EMIT changed();
}

void TrainingModel::set_missing_room(const QString& why) {
  if (why == missing_room_) return;
  missing_room_ = why;
  Q_EMIT changed();
}

void TrainingModel::set_checkpoint(const QString& directory) {
  if (directory == checkpoint_) return;
  checkpoint_ = directory;
  Q_EMIT changed();
}

void TrainingModel::set_progress(double fraction, const QString& what) {
  if (fraction == progress_ && what == progress_text_) return;
  progress_ = fraction;
  progress_text_ = what;
  Q_EMIT changed();
}

void TrainingModel::restart_after(std::int64_t step) {
  const auto& steps = column(TrainingColumn::Step);
  const auto kept =
      static_cast<std::size_t>(std::upper_bound(steps.begin(), steps.end(), static_cast<double>(step)) - steps.begin());
  for (auto& values : columns_) values.resize(kept);
  for (auto& values : segment_loss_) values.resize(kept);
  for (auto& values : reach_by_age_) values.resize(kept);
  reach_ends_.resize(kept);
  reach_.resize(kept == 0 ? 0 : reach_ends_.back());
  const auto later = [step](const auto& record) { return record.step > step; };
  std::erase_if(validations_, later);
  std::erase_if(alerts_, later);
  std::erase_if(kept_, [step](const auto& snapshot) { return snapshot->record.step > step; });
  revision_ = next_revision();
  Q_EMIT reset();
}

std::size_t TrainingModel::nearest(TrainingColumn axis, double x) const {
  const auto& values = column(axis);
  CARRYOVER_CHECK(!values.empty());
  auto right = std::lower_bound(values.begin(), values.end(), x);
  if (right == values.end() || (right != values.begin() && x - *(right - 1) < *right - x)) --right;
  return static_cast<std::size_t>(right - values.begin());
}

std::shared_ptr<const StepSnapshot> TrainingModel::snapshot(std::size_t index) const {
  const auto step = static_cast<std::int64_t>(column(TrainingColumn::Step).at(index));
  for (const auto& candidate : kept_)
    if (candidate->record.step == step) return candidate;
  return nullptr;
}

}  // namespace carryover
