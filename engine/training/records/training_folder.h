// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/training/records/metrics_follower.h"
#include "engine/training/records/training_plan.h"
#include "engine/training/records/training_values.h"

namespace carryover {

class FolderLock;

/// A training run's folder: config.json (the plan, and `environment`: where it runs), metrics.jsonl,
/// events.out.tfevents.*, checkpoints/step-N, final/; with distillation teacher.bin (teacher_file.h). A lock file keeps
/// a second process out. Owner: the thread that trains. Every member throws EngineError{Io} naming file and advice when
/// the disk is full or the folder can't be written.
class TrainingFolder {
 public:
  /// A new run. Throws EngineError{Usage} where the folder holds one already, or another process trains in it,
  /// {BadInput} where a name that a training uses is a symbolic link there.
  static TrainingFolder create(const TrainingPlan& plan, const nlohmann::json& environment);
  /// Continues after the newest whole checkpoint, or from the beginning where there is none: later lines of
  /// metrics.jsonl are dropped, and what a crash left unfinished is removed. Throws EngineError{Usage} where another
  /// process trains in it, {BadInput, Io} where there is no run, {BadInput} for symbolic links as above.
  static TrainingFolder resume(const std::string& directory);

  TrainingFolder(TrainingFolder&&) noexcept;
  ~TrainingFolder();

  const std::string& directory() const;
  void append(const StepRecord& record);
  void append(const ValidationRecord& record);
  std::int64_t last_validation() const;  ///< the step of the last one in the record; 0: none

  /// checkpoints/step-<step>: `write` fills a folder of a temporary name; it is synced and renamed, then all but the
  /// newest `keep` ≥ 1 are removed. Lines appended before are on the disk first. A failure leaves the older ones as
  /// they were. Gives its path.
  std::string save_checkpoint(std::int64_t step, std::int64_t keep,
                              const std::function<void(const std::string& directory)>& write);
  /// final/, in the same way.
  std::string save_final(const std::function<void(const std::string& directory)>& write);

  /// The newest whole checkpoint of a run's folder, or nothing.
  static std::optional<std::string> newest_checkpoint(const std::string& directory);

 private:
  struct State;
  static std::unique_ptr<State> begin(const TrainingPlan& plan, const nlohmann::json& environment,
                                      std::unique_ptr<const FolderLock> lock);
  explicit TrainingFolder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// A run read back, finished or not, also while another process or machine writes it. `plan.output_dir` is the folder
/// as it is named here.
struct StoredTraining {
  TrainingPlan plan;
  std::vector<StepRecord> steps;
  std::vector<ValidationRecord> validations;
  std::vector<std::string> checkpoints;  ///< ascending by step
  std::string final_folder;              ///< empty while there is none
};
/// Throws EngineError{Io, BadInput} naming the file.
StoredTraining read_training_folder(const std::string& directory);

}  // namespace carryover
