// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/campaigns/campaign_engine.h"
#include "engine/campaigns/experiments/experiment_results.h"
#include "engine/campaigns/experiments/experiment_state.h"
#include "engine/campaigns/kernel/campaign.h"
#include "engine/campaigns/kernel/campaign_folder.h"

namespace carryover {

/// The parts of an experiment that belong to the program which runs it.
struct ExperimentHost {
  CampaignObserver& observer;
  /// Returns an object; until it goes, an interrupt asks `control` to stop. The first is made before the engine starts
  /// threads: no signal may reach one of them.
  std::function<std::shared_ptr<const void>(RunControl& control)> interrupts;
  /// Trains a cell into its folder. Throws EngineError{Cancelled} where it was stopped, and the training's own errors.
  std::function<void(const TrainingCell& cell, RunControl& control)> train;
};

/// Runs the cells of an experiment that are not finished, one after another, and keeps its folder up to date:
/// experiment.json after each cell, results.json and the tables after each group. One thread.
class ExperimentCampaign final : public Campaign {
 public:
  /// Plan, cells and observer outlive it. Records what it was asked for, and looks at what is finished; `earlier` is a
  /// file of results to take cells from, which the folder gets a copy of, or empty. Throws EngineError{Io, BadInput,
  /// Usage}: Usage where another process runs this experiment.
  ExperimentCampaign(const ExperimentPlan& plan, const ExperimentCells& cells, const ExperimentRequest& request,
                     const std::string& earlier, ExperimentHost host);

  /// Returns false where it was stopped. A cell that fails is recorded, and the others go on.
  bool run();
  /// Writes results.json and the tables from what is finished.
  void write_reports() const;
  const ExperimentState& state() const { return state_; }

 private:
  struct Interruptible;
  /// A cell in its group: the group's training, or an evaluation.
  struct Step {
    std::size_t group = 0;
    const TrainingCell* training = nullptr;
    const EvaluationCell* evaluation = nullptr;
    const std::string& id() const { return training != nullptr ? training->id : evaluation->id; }
  };
  std::size_t cells() const override { return steps_.size(); }
  std::size_t group_of(std::size_t cell) const override { return steps_[cell].group; }
  bool is_done(std::size_t cell) const override { return is_finished(steps_[cell].id()); }
  void start_cell(std::size_t cell) override;
  void run_cell(std::size_t cell) override;
  bool record_failure(std::size_t cell, const EngineError& error) override;
  void end_cell(std::size_t cell) override;
  void finish_group(std::size_t group, bool worked) override;

  CellState& state_of(const std::string& id);
  CellState& state_of(std::size_t cell) { return state_of(steps_[cell].id()); }
  bool is_finished(const std::string& id) const { return numbers_.contains(id); }
  void look_at_cells(const std::string& earlier);
  void list_steps();
  void expect();
  void train(const TrainingCell& cell);
  void evaluate(const EvaluationCell& cell);
  void finish(const std::string& id, nlohmann::json numbers);
  Session& session_for(const EvaluationCell& cell, RunControl& control);
  const std::vector<std::int32_t>& ids_of(std::size_t model, std::size_t text);
  void write_state() const { write_experiment_state(folder_.path(), state_); }

  const ExperimentPlan& plan_;
  const ExperimentCells& cells_;
  ExperimentHost host_;
  CampaignObserver& observer_;
  CampaignFolder folder_;
  ExperimentState state_;
  CellNumbers numbers_;
  std::map<std::string, CellWork> work_;
  std::vector<Step> steps_;  ///< of the recipes that run now
  CellPace pace_;
  std::unique_ptr<Session> session_;
  std::string session_key_;                                                       ///< key of the model and adapter in
                                                                                  ///< session_
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::int32_t>> ids_;  ///< by model and text
};

}  // namespace carryover
