// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/campaigns/experiments/experiment_plan.h"

namespace carryover {

/// The request that `carryover experiment` runs. A plain value.
struct ExperimentRequest {
  std::string plan, out;  ///< a file; the experiment's folder
  ExperimentOverrides overrides;
};

/// Returns the `carryover experiment …` command that runs a request, with flags for what differs from the plan.
std::vector<std::string> experiment_command(const ExperimentRequest& request);

/// Returns the request with absolute paths. Throws EngineError{Io} where there is no current folder.
ExperimentRequest absolute_request(ExperimentRequest request);

/// Returns the request as experiment.json records it, without `out`, which is the folder that holds the file.
nlohmann::json request_json(const ExperimentRequest& request);
/// Throws EngineError{BadInput} naming `where` and the key.
ExperimentRequest request_of(const nlohmann::json& object, const std::string& where);

}  // namespace carryover
