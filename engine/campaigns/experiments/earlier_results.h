// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/campaigns/experiments/experiment_results.h"

namespace carryover {

/// The file in an experiment's folder with the results that the experiment takes from elsewhere.
inline constexpr const char* kEarlierFile = "earlier.json";

/// Adds to `finished` the cells that `results`, a results.json of another folder or machine, has numbers for. A
/// training and its evaluations are taken together or not at all, because the weights that a missing one needs are not
/// there. Cells that are in `finished` already stay. Each entry names its origin in "made_by": processor, version and,
/// where known, commit. Throws EngineError{BadInput} naming `where`.
void add_earlier_cells(CellNumbers& finished, const nlohmann::json& results, const std::string& where,
                       const ExperimentCells& cells);

/// Returns true if add_earlier_cells() added a cell's numbers: the cell has no folder, and its seconds are another
/// machine's.
bool is_from_elsewhere(const nlohmann::json& numbers);

}  // namespace carryover
