// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "engine/tasks/base/task.h"

namespace carryover {

/// Recall of a pair of a key and a value from a given number of segments before: 1, 2, 4 … 64, as many as the length
/// takes, each of them a slice ("distance 4") of ten samples where no count is given. A segment has at most one pair.
///
/// "recall/key_value": " The code of the red lantern is 48213." The question, with the answer, lies in one segment, and
/// the pair in the one `distance` before; both still do where one more token (BOS) stands in front.
/// "recall/names": what resources/demo was trained on. " Here comes Eva Moon." " Who is Eva" ends a segment, "? Eva"
/// and the answer begin the next one, and distance counts from that one, as examples/recall does. No BOS.
std::vector<std::string> recall_task_names();
std::unique_ptr<Task> make_recall_task(const std::string& name);

}  // namespace carryover
