// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "engine/evaluations/evaluation_plan.h"

namespace carryover {

/// What `carryover eval` is asked to run. A plain value.
struct EvaluationRequest {
  EvaluationPlan plan;
  std::string out;  ///< folder of the evaluation
  int threads = 0;  ///< 0: all
};

/// `carryover eval …` that runs this. Throws EngineError{Usage} on what the command has no words for: a task's path
/// with a comma, a length of 0 beside others.
std::vector<std::string> evaluation_command(const EvaluationRequest& request);

}  // namespace carryover
