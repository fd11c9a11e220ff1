// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "engine/tasks/base/task.h"

namespace carryover {

/// The samples of RULER's common_words_extraction.py: ten words that come more often than the others, behind an
/// example. Throws as Task::samples().
std::vector<TaskSample> cwe_samples(const std::string& task, const SampleRequest& request);

/// The samples of RULER's freq_words_extraction.py: made-up words whose frequencies follow Zipf's law. Throws as
/// Task::samples().
std::vector<TaskSample> fwe_samples(const std::string& task, const SampleRequest& request);

}  // namespace carryover
