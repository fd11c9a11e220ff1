// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
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

}  // namespace carryover
