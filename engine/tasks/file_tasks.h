// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>

#include "engine/tasks/base/task.h"

namespace carryover {

/// "file:PATH": samples of somebody's own, from a .jsonl of objects or a .json that is a list of them, scored as
/// lm-evaluation-harness 0.4.13 scores tasks on the same file. Its lines are all of one kind:
///
///     {"prompt": "…", "answers": ["…"], "stop": ["\n"], "max_new_tokens": 32}
///     {"prompt": "…", "choices": ["…", "…"], "answer": 0}
///
/// In place of "prompt" they may have "context" and "question", which the prompt is made of, and with those "needle": a
/// part of the context, or several, that an answer has to be found in. "id" and "slice" are a sample's own. "stop" and
/// "max_new_tokens" are those of the first line; another line may repeat them. Without them they are the harness's
/// defaults, ["\n\n"] and 256. "target_delimiter", by default " ", stands in front of each choice. Other keys stay in
/// TaskSample::fields.
///
/// Scores: "exact_match", equal to an answer to the last blank, and "contains"; of choices "acc" and "acc_norm", which
/// divides a log-likelihood by the choice's characters. Samples that a request's length has no room for are left out.
///
/// Reads the file. Throws EngineError{Io, BadInput} naming file and place, {Usage} for a name without a path.
std::unique_ptr<Task> make_file_task(const std::string& name);

}  // namespace carryover
