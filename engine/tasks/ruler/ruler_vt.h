// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "engine/tasks/base/task.h"

namespace carryover {

/// The samples of RULER's variable_tracking.py: one chain of four hops in noise, behind an example. Throws as
/// Task::samples().
std::vector<TaskSample> vt_samples(const std::string& task, const SampleRequest& request);

}  // namespace carryover
