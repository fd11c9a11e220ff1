// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tasks/base/task.h"

namespace carryover {

// LongBench v2 (THUDM/LongBench 2e00731): one task, "longbench_v2", whose slices are "easy, short" to "hard, long".
// SampleRequest::data is a folder with data.json (a list, or lines) and prompts/0shot.txt of the project. A prompt of
// more than `length` less the tokens to write loses its middle. A
// prediction is a line of pred.py's files, which result.py reads. Any thread.

std::vector<std::string> longbench_v2_task_names();
/// Throws EngineError{Usage}.
std::unique_ptr<Task> make_longbench_v2_task(const std::string& name);

/// "A" to "D": what "The correct answer is (B)", or else "The correct answer is B", names first; asterisks don't count.
/// Empty where nothing is named.
std::string longbench_v2_choice(std::string_view answer);

}  // namespace carryover
