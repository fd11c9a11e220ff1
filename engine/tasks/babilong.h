// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tasks/base/task.h"

namespace carryover {

// BABILong (booydar/babilong 7a6efee), qa1 to qa5. SampleRequest::data is one file of samples, or a folder with
// qa1/4k.json or data/qa1/4k.json of the official data: `length` only picks 4k where it is 4000 or 4096 (no sample is
// cut, and the instructions come on top), and a folder with one length needs none. Files hold a list, or lines, of
// {"input", "question", "target"}. The prompt is that of a file of the project's babilong_evals, such as
// qa1_0k_instruction_yes_examples_yes_post_prompt_yes_chat_template_no.json, in the folder or its prompts/, or beside
// the named file; else a short one of our own: TaskSample::fields has "prompt", that file or "own", in place of
// "input". Any thread.

std::vector<std::string> babilong_task_names();  ///< "babilong/qa1", …
/// Throws EngineError{Usage} listing what there is.
std::unique_ptr<Task> make_babilong_task(const std::string& name);

/// 1 where the first sentence of the answer, up to an example that it begins, holds the target and no other label of
/// the task, but those that the question holds, in any case; else 0. Pure.
double babilong_score(std::string_view answer, std::string_view target, std::string_view question,
                      const std::vector<std::string>& labels);

}  // namespace carryover
