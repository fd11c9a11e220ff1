// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/experiments/experiment_results.h"
#include "engine/experiments/experiment_state.h"

namespace carryover {

class ProgressLine;

/// Seconds that a cell will take. Where `pace` knows nothing of this kind of work yet, it is guessed from the machine's
/// matmuls, which takes two seconds. Call on the engine thread. Throws EngineError{Io}.
double expected_seconds(CellPace& pace, const CellWork& work, const ExperimentCells& cells, const ExperimentPlan& plan);

/// What an experiment will take from here: hours by group and what is done, and the disk space. Reads texts and what is
/// finished, in `experiment` and in the results `earlier` (a file, or empty), and writes nothing. `as_json`: an object
/// of the same. Throws EngineError{BadInput} where a text is shorter than it has to be, {Io} where the disk has no
/// room.
std::string experiment_forecast(const ExperimentPlan& plan, const ExperimentCells& cells, const std::string& experiment,
                                const std::string& earlier, bool as_json, ProgressLine& progress);

}  // namespace carryover
