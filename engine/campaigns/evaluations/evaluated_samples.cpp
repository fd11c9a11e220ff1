// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/evaluations/evaluated_samples.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/base/error.h"
#include "engine/tasks/task_table.h"
#include "engine/templates/chat_template.h"

namespace carryover {

SampleRequest sample_request(const EvaluationPlan& plan, const std::string& task, std::int64_t length,
                             std::shared_ptr<const Tokenizer> tokenizer) {
  SampleRequest request;
  request.length = length;
  request.count = plan.samples;
  request.seed = plan.seed;
  request.segment_length = plan.config.segment_length;
  if (const auto data = plan.data.find(task_family(task).name); data != plan.data.end()) request.data = data->second;
  request.tokenizer = std::move(tokenizer);
  return request;
}

std::size_t samples_to_run(const EvaluationPlan& plan, std::size_t available) {
  return plan.limit > 0 ? std::min(available, static_cast<std::size_t>(plan.limit)) : available;
}

std::vector<TaskSample> evaluated_samples(const EvaluationPlan& plan, const Task& task, std::int64_t length,
                                          std::shared_ptr<const Tokenizer> tokenizer) {
  std::vector<TaskSample> samples = task.samples(sample_request(plan, task.info().name, length, std::move(tokenizer)));
  samples.resize(samples_to_run(plan, samples.size()));
  return samples;
}

EvaluationChat model_chat(const std::string& model_path) {
  const std::optional<ChatTemplate> found = ChatTemplate::load(model_path);
  if (!found)
    throw EngineError(Fault::BadInput, model_path, "has no chat template",
                      "Evaluate without a chat template, or use a chat model.");
  // All samples show the time at which their evaluation began.
  const nlohmann::ordered_json values{{kTemplateClock, wall_clock()}};
  const auto said_by_user = [found, values](const std::string& said) {
    const nlohmann::ordered_json message{{"role", "user"}, {"content", said}};
    return found->render(nlohmann::ordered_json::array({message}), true, values);
  };
  return {found->text(), said_by_user};
}

}  // namespace carryover
