// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/base/task.h"

namespace carryover {

Scores Task::aggregate(const std::vector<Scores>& scores) const {
  Scores sums;
  std::map<std::string, std::size_t> counts;
  for (const Scores& each : scores)
    for (const auto& [name, value] : each) {
      sums[name] += value;
      ++counts[name];
    }
  for (auto& [name, sum] : sums) sum /= static_cast<double>(counts[name]);
  return sums;
}

nlohmann::json Task::prediction(const TaskSample& /*sample*/, const std::string& /*answer*/) const {
  return {};
}

}  // namespace carryover
