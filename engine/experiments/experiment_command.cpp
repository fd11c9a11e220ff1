// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/experiments/experiment_command.h"

namespace carryover {

std::vector<std::string> experiment_command(const ExperimentRequest& request) {
  std::vector<std::string> words{"carryover", "experiment", request.plan};
  const auto add = [&](const char* flag, const std::vector<std::string>& values) {
    for (const std::string& value : values) words.insert(words.end(), {flag, value});
  };
  const ExperimentOverrides& overrides = request.overrides;
  for (const PlanModel& model : overrides.models) add("--model", {model.name + "=" + model.path});
  add("--data", overrides.data);
  add("--texts", overrides.texts);
  add("--only", overrides.only);
  if (overrides.threads >= 0) add("--threads", {std::to_string(overrides.threads)});
  if (!request.out.empty()) add("--out", {request.out});
  return words;
}

}  // namespace carryover
