// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "engine/experiments/experiment_plan.h"

namespace carryover {

/// What has to lie on disk before a plan can run. A plain value.
struct PlanNeed {
  enum class Kind { Model, Adapter, Data, Texts };
  Kind kind = Kind::Model;
  std::string name;       ///< of the model, or of the adapter's recipe
  std::string path;       ///< Texts: the folder that they are in
  std::size_t count = 1;  ///< of the files there, of Kind::Texts that the plan lists one by one
  bool there = false;     ///< all of it. A model may be there and be none: experiment_cells() says so.
};

/// Models, adapters, texts to train on and texts to evaluate on, in this order. Texts of one folder are one need.
/// Looks at the disk, reads no file. Throws nothing but out of memory. Any thread.
std::vector<PlanNeed> plan_needs(const ExperimentPlan& plan);
bool all_there(const std::vector<PlanNeed>& needs);

}  // namespace carryover
