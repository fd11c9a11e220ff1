// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "engine/tasks/base/task.h"

namespace carryover {

enum class QaData { Squad, HotpotQa };

/// The samples of RULER's qa.py: a question among documents, from squad.json or hotpotqa.json of the folder. Throws as
/// Task::samples().
std::vector<TaskSample> qa_samples(const std::string& task, QaData data, const SampleRequest& request);

}  // namespace carryover
