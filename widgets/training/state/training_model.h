// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <array>
#include <memory>
#include <vector>

#include "engine/training/records/training_plan.h"
#include "engine/training/records/training_values.h"

namespace carryover {

/// The scalars of a step that plots read, one vector of doubles each. NaN where a step has none.
enum class TrainingColumn {
  Step,
  Tokens,
  Minutes,  ///< of training so far, pauses left out
  Loss,
  RecallLoss,  ///< of the answers of recall samples
  LearningRate,
  GradientNorm,
  TokensPerSecond,
  WeightsMb,
  GradientsMb,
  OptimizerMb,
  GraphMb,  ///< what is retained for backward beside the KV, carry and pool below
  AttentionKvMb,
  CarryMb,
  PoolMb,
  TotalMb,  ///< sum of the kinds above
  PeakMb,   ///< of the whole process
  Count
};

enum class TrainingState { Preparing, Running, Paused, Stopping, Stopped, Finished, Failed, Attached };
QString training_state_name(TrainingState state);

/// One training run, here or elsewhere, as the window knows it: it grows by what is new, at most 30 times a second. A
/// million steps are a few hundred bytes each. The panels read it; only app/ writes it. GUI thread.
class TrainingModel : public QObject {
  Q_OBJECT
 public:
  TrainingModel(QString directory, std::shared_ptr<const TrainingPlan> plan, QObject* parent = nullptr);

  // For those who write it. Steps and validations ascend: what is no newer than the last one is left out.
  void append(const std::vector<std::shared_ptr<const StepSnapshot>>& steps);
  void append(const std::vector<StepRecord>& steps);
  void append_validations(const std::vector<ValidationRecord>& records);
  void append_alert(const TrainingAlert& alert);
  void set_state(TrainingState state);
  void set_checkpoint(const QString& directory);
  /// Sets why the training waits for room on the disk; empty: it does not.
  void set_missing_room(const QString& why);
  void set_progress(double fraction, const QString& what);  ///< of what comes before the first step, or inside one
  void restart_after(std::int64_t step);  ///< forgets what came after it: the run continues from there

  const QString& directory() const { return directory_; }
  QString name() const;        ///< the folder's own name
  QString model_name() const;  ///< of the model that is trained
  const TrainingPlan& plan() const { return *plan_; }
  TrainingState state() const { return state_; }
  bool active() const;  ///< trained by this program, now
  const QString& checkpoint() const { return checkpoint_; }
  const QString& missing_room() const { return missing_room_; }
  double progress() const { return progress_; }
  const QString& progress_text() const { return progress_text_; }

  /// Returns a number that no other run has and that changes once steps were taken back. Code that keeps something of a
  /// run compares it.
  std::uint64_t revision() const { return revision_; }
  std::size_t step_count() const { return column(TrainingColumn::Step).size(); }
  const std::vector<double>& column(TrainingColumn which) const;
  int segments() const { return static_cast<int>(segment_loss_.size()); }  ///< most of any sample so far
  const std::vector<double>& segment_loss(int segment) const;
  /// ‖∂ℓ_i/∂C_j‖ by age i − j = 1, 2 …: mean over a step's transitions; NaN if no gradient crosses so many.
  int oldest_age() const { return static_cast<int>(reach_by_age_.size()); }
  const std::vector<double>& reach_by_age(int age) const;
  std::vector<GradientReach> reach(std::size_t index) const;  ///< all of a step's
  const std::vector<ValidationRecord>& validations() const { return validations_; }
  const std::vector<TrainingAlert>& alerts() const { return alerts_; }
  /// Returns the step whose value in `axis` (which ascends) is nearest to x; there must be one.
  std::size_t nearest(TrainingColumn axis, double x) const;
  /// Returns a step with its last sample's segments, if they were copied out and are still kept; null otherwise.
  std::shared_ptr<const StepSnapshot> snapshot(std::size_t index) const;
  bool has_snapshots() const { return !kept_.empty(); }

 Q_SIGNALS:
  void reset();  ///< steps were forgotten
  void steps_appended(qsizetype first, qsizetype last);
  void validations_appended();
  void alerted();
  void changed();  ///< state, checkpoint or progress

 private:
  struct Reach {
    std::int32_t transition, age, terms;
    float norm;
  };
  std::vector<double>& grown(TrainingColumn which);
  bool is_new(const StepRecord& record) const;
  void tell_appended(std::size_t first);
  void add(const StepRecord& record);
  void add_reach(const std::vector<GradientReach>& reach);
  void keep(std::shared_ptr<const StepSnapshot> snapshot);

  QString directory_;
  std::shared_ptr<const TrainingPlan> plan_;
  TrainingState state_ = TrainingState::Preparing;
  QString checkpoint_, progress_text_, missing_room_;
  double progress_ = 0;
  std::uint64_t revision_;
  std::array<std::vector<double>, static_cast<std::size_t>(TrainingColumn::Count)> columns_;
  std::vector<std::vector<double>> segment_loss_, reach_by_age_;
  std::vector<Reach> reach_;
  std::vector<std::size_t> reach_ends_;  ///< step i's entries end here; they begin where step i − 1's end
  std::vector<ValidationRecord> validations_;
  std::vector<TrainingAlert> alerts_;
  std::vector<std::shared_ptr<const StepSnapshot>> kept_;  ///< ascending by step, the newest ones
};

}  // namespace carryover
