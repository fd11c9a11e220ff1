// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "engine/tasks/base/task.h"

namespace carryover {

/// "needle/grid": one of the needles of engine/data/needles.h in a text, at eleven depths, of which each is a slice
/// ("depth 30%") of three samples where no count is given. The text is SampleRequest::data, for each of the three from
/// another book on, or small talk. Without a length, prompts have 4096 tokens.
std::vector<std::string> needle_task_names();
std::unique_ptr<Task> make_needle_task(const std::string& name);

/// "passkey": a number in sentences that repeat, by the same grid of depths.
std::vector<std::string> passkey_task_names();
std::unique_ptr<Task> make_passkey_task(const std::string& name);

}  // namespace carryover
