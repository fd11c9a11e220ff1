// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "engine/tasks/ruler/ruler_form.h"

namespace carryover {

/// FOLDER/TASK/validation.jsonl, as RULER's prepare.py writes it; empty where there is none. `task`: "cwe".
std::string ready_file(const std::string& folder, const std::string& task);

/// Its first samples: `request.count` at most, 0: all. Throws EngineError{Io, BadInput} naming file and line, also for
/// a prompt that does not fit `request.length`.
std::vector<TaskSample> ready_samples(const std::string& path, const RulerForm& form, const SampleRequest& request);

}  // namespace carryover
