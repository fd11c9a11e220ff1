// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/campaigns/experiments/experiment_cells.h"

namespace carryover {

/// Makes a cell's folder and writes the inputs that it is made from (cell.json). Throws EngineError{Io}, and {BadInput}
/// where the folder has other inputs.
void begin_cell(const std::string& folder, const nlohmann::json& inputs);

/// Return the numbers of a finished cell, read from its folder, as an entry of results.json. They are null where the
/// cell is not finished: no folder, no inputs in it, a run without a summary, a training without its last step or
/// final/. Throw EngineError{Io, BadInput} where the files can't be read.
nlohmann::json training_numbers(const TrainingCell& cell);
nlohmann::json evaluation_numbers(const std::string& folder, const EvaluationCell& cell, const CellModel& model);

/// Numbers of the cells that are finished, by id.
using CellNumbers = std::map<std::string, nlohmann::json>;

/// Returns the numbers of every finished cell of an experiment's folder, and of those in the results file `earlier`
/// (earlier_results.h); if `earlier` is empty, in the folder's own kEarlierFile. A cell that can't be read counts as
/// not finished, and `unusable` is called with it. Throws EngineError{Io, BadInput} where the results file can't be
/// used.
CellNumbers finished_cells(const ExperimentCells& cells, const std::string& experiment, const std::string& earlier,
                           const std::function<void(const std::string& id, const std::string& problem)>& unusable);

/// Returns results.json: the plan, the machine, and every number that tables are made from. It names files, never
/// paths, so that it may be published. `environment`: environment_json() of the machine, or null.
nlohmann::json experiment_results(const ExperimentPlan& plan, const ExperimentCells& cells, const CellNumbers& numbers,
                                  const nlohmann::json& environment);

}  // namespace carryover
