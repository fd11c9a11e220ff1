// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/experiments/experiment_plan.h"

namespace carryover {

/// What `carryover experiment` is asked to run. A plain value.
struct ExperimentRequest {
  std::string plan, out;  ///< a file; the experiment's folder
  ExperimentOverrides overrides;
};

/// `carryover experiment …` that runs this: flags for what is not as planned.
std::vector<std::string> experiment_command(const ExperimentRequest& request);

/// The same, with every path as it is from any current folder. Throws EngineError{Io} where there is no current folder.
ExperimentRequest absolute_request(ExperimentRequest request);

/// As experiment.json records it, without `out`, which is the folder that has the file.
nlohmann::json request_json(const ExperimentRequest& request);
/// Throws EngineError{BadInput} naming `where` and the key.
ExperimentRequest request_of(const nlohmann::json& object, const std::string& where);

}  // namespace carryover
