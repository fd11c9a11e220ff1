// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "engine/campaigns/experiments/experiment_plan.h"

namespace carryover {

/// A file or folder that a plan needs on disk before it can run. A plain value.
struct PlanNeed {
  enum class Kind { Model, Adapter, Data, Texts };
  Kind kind = Kind::Model;
  std::string name;       ///< name of the model, or of the adapter's recipe
  std::string path;       ///< Texts: the folder that holds them
  std::size_t count = 1;  ///< number of files there, for Kind::Texts that the plan lists one by one
  bool there = false;     ///< true if all of it is there. A model's path may exist and be no model, which
                          ///< experiment_cells() reports
};

/// Returns models, adapters, texts to train on and texts to evaluate on, in this order. Texts of one folder are one
/// need. Looks at the disk, but reads no file. Throws only when out of memory. Any thread.
std::vector<PlanNeed> plan_needs(const ExperimentPlan& plan);
bool all_there(const std::vector<PlanNeed>& needs);

}  // namespace carryover
