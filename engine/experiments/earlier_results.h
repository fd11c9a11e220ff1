// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/experiments/experiment_results.h"

namespace carryover {

/// The file in an experiment's folder that holds what it was told to take from elsewhere.
inline constexpr const char* kEarlierFile = "earlier.json";

/// Adds to `finished` the cells that `results`, a results.json of another folder or machine, has numbers of. A training
/// and its evaluations are taken together or not at all, because the weights that a missing one needs are not there.
/// What is in `finished` already stays. Entries say by "made_by" where they come from: processor, version and, where
/// known, commit. Throws EngineError{BadInput} naming `where`.
void add_earlier_cells(CellNumbers& finished, const nlohmann::json& results, const std::string& where,
                       const ExperimentCells& cells);

/// Whether a cell's numbers were added so: it has no folder, and its seconds are another machine's.
bool is_from_elsewhere(const nlohmann::json& numbers);

}  // namespace carryover
