// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/api/session.h"
#include "engine/campaigns/experiments/experiment_results.h"
#include "engine/campaigns/experiments/experiment_state.h"

namespace carryover {

class ProgressLine;
class FolderLock;

/// Runs the cells of an experiment that are not finished, one after another, and keeps its folder up to date:
/// experiment.json after each cell, results.json and the tables after each group. One thread.
class ExperimentRunner {
 public:
  /// Plan, cells and progress outlive it. Records what it was asked for, and looks at what is finished; `earlier` is a
  /// file of results to take cells from, which the folder gets a copy of, or empty. Throws EngineError{Io, BadInput,
  /// Usage}: Usage where another process runs this experiment.
  ExperimentRunner(const ExperimentPlan& plan, const ExperimentCells& cells, const ExperimentRequest& request,
                   const std::string& earlier, ProgressLine& progress);
  ~ExperimentRunner();

  /// Returns false where it was stopped. A cell that fails is recorded, and the others go on.
  bool run();
  /// results.json and the tables from what is finished.
  void write_reports();
  const ExperimentState& state() const { return state_; }

 private:
  struct Stopped {};
  CellState& state_of(const std::string& id);
  bool is_finished(const std::string& id) const { return numbers_.contains(id); }
  void look_at_cells(const std::string& earlier);
  void expect();
  void run_group(const CellGroup& group);
  template <typename Work>
  bool run_cell(const std::string& id, const Work& work);
  void train(const TrainingCell& cell);
  void evaluate(const EvaluationCell& cell);
  void finish(const std::string& id, nlohmann::json numbers);
  Session& session_for(const EvaluationCell& cell, RunControl& control);
  const std::vector<std::int32_t>& ids_of(std::size_t model, std::size_t text);
  std::string folder(const std::string& id) const { return cell_folder(experiment_, id); }

  const ExperimentPlan& plan_;
  const ExperimentCells& cells_;
  std::string experiment_;
  ProgressLine& progress_;
  std::unique_ptr<const FolderLock> lock_;
  ExperimentState state_;
  CellNumbers numbers_;
  std::map<std::string, CellWork> work_;
  CellPace pace_;
  std::unique_ptr<Session> session_;
  std::string session_key_;                                                       ///< key of the model and adapter in
                                                                                  ///< session_
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::int32_t>> ids_;  ///< by model and text
};

}  // namespace carryover
