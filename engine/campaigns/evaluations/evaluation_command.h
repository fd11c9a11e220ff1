// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "engine/campaigns/evaluations/evaluation_plan.h"

namespace carryover {

/// The request that `carryover eval` runs. A plain value.
struct EvaluationRequest {
  EvaluationPlan plan;
  std::string out;  ///< folder of the evaluation
  int threads = 0;  ///< 0: all
};

/// Returns the `carryover eval …` command that runs a request. Throws EngineError{Usage} on what the command line can't
/// express: a task's path with a comma, or a length of 0 beside others.
std::vector<std::string> evaluation_command(const EvaluationRequest& request);

}  // namespace carryover
