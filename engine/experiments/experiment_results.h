// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/experiments/experiment_cells.h"

namespace carryover {

/// Notes what a cell's folder is made from (cell.json), and makes the folder. Throws EngineError{Io}, and {BadInput}
/// where the folder is of other inputs.
void begin_cell(const std::string& folder, const nlohmann::json& inputs);

/// What a finished cell says, read from its folder: an entry of results.json. Null where the cell is not finished: no
/// folder, none of its inputs, a run without a summary, a training without its last step or final/. Throws
/// EngineError{Io, BadInput} where what is there can't be read.
nlohmann::json training_numbers(const TrainingCell& cell);
nlohmann::json evaluation_numbers(const std::string& folder, const EvaluationCell& cell, const CellModel& model);

/// Numbers of the cells that are finished, by id.
using CellNumbers = std::map<std::string, nlohmann::json>;

/// Of every cell of an experiment's folder that is finished, and of those that the results in the file `earlier` have
/// (earlier_results.h); where it is empty, in the folder's own kEarlierFile. A cell that can't be read counts as not
/// finished, and `unusable` is told of it. Throws EngineError{Io, BadInput} where the file of results can't be used.
CellNumbers finished_cells(const ExperimentCells& cells, const std::string& experiment, const std::string& earlier,
                           const std::function<void(const std::string& id, const std::string& problem)>& unusable);

/// results.json: what was run, on what, where, and every number that tables are made from. It names files, never
/// paths: it may be published. `environment`: environment_json() of the machine, or null.
nlohmann::json experiment_results(const ExperimentPlan& plan, const ExperimentCells& cells, const CellNumbers& numbers,
                                  const nlohmann::json& environment);

}  // namespace carryover
