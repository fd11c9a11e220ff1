// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/campaigns/experiments/experiment_results.h"
#include "engine/campaigns/experiments/experiment_state.h"

namespace carryover {

class CampaignObserver;

/// Returns the seconds that a cell will take. If `pace` knows no cell of this kind of work yet, they are guessed from
/// the machine's matmuls, which takes two seconds. Call it on the engine thread. Throws EngineError{Io}.
double expected_seconds(CellPace& pace, const CellWork& work, const ExperimentCells& cells, const ExperimentPlan& plan);

/// Returns what an experiment still needs: hours by group, with the finished part, and disk space. Reads texts and
/// finished cells, in `experiment` and in the results `earlier` (a file, or empty), and writes nothing. `as_json`:
/// returns it as a JSON object. Throws EngineError{BadInput} where a text is too short, {Io} where the disk has no
/// room.
std::string experiment_forecast(const ExperimentPlan& plan, const ExperimentCells& cells, const std::string& experiment,
                                const std::string& earlier, bool as_json, CampaignObserver& observer);

}  // namespace carryover
