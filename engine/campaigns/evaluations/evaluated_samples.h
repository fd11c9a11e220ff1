// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/campaigns/evaluations/evaluation_plan.h"
#include "engine/campaigns/evaluations/prompt_parts.h"
#include "engine/tasks/base/task.h"

namespace carryover {

/// Returns a plan's request for the samples of a task.
SampleRequest sample_request(const EvaluationPlan& plan, const std::string& task, std::int64_t length,
                             std::shared_ptr<const Tokenizer> tokenizer);
/// Returns how many of `available` samples a plan runs.
std::size_t samples_to_run(const EvaluationPlan& plan, std::size_t available);

/// Makes the samples of a task at a length that a plan runs once more. They are the same as those that were run, as
/// long as the task's files are the same. Throws as Task::samples().
std::vector<TaskSample> evaluated_samples(const EvaluationPlan& plan, const Task& task, std::int64_t length,
                                          std::shared_ptr<const Tokenizer> tokenizer);

/// A model's chat template: its source text, and the function that puts it around one message of a user, up to the
/// answer. Empty and null where the model has none.
struct EvaluationChat {
  std::string source;
  ChatText text;
};
/// Throws EngineError{BadInput} where the model has none, or none that can be read.
EvaluationChat model_chat(const std::string& model_path);

}  // namespace carryover
