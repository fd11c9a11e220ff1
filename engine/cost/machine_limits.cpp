// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cost/machine_limits.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace carryover {

double MachineLimits::best_flops_per_second() const {
  double best = 0;
  for (const MatmulRate& product : products) best = std::max(best, product.flops_per_second);
  return best;
}

void to_json(nlohmann::json& json, const MatmulRate& rate) {
  json = {{"name", rate.name},
          {"rows", rate.rows},
          {"inner", rate.inner},
          {"outer", rate.outer},
          {"flops_per_second", rate.flops_per_second}};
}

void to_json(nlohmann::json& json, const MachineLimits& limits) {
  json = {{"products", limits.products},
          {"best_flops_per_second", limits.best_flops_per_second()},
          {"bytes_per_second", limits.bytes_per_second}};
}

}  // namespace carryover
