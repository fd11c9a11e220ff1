// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/evaluations/evaluation_command.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/formats/json_file.h"

namespace carryover {

namespace {

std::string joined(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ",") + value;
  return text;
}

std::string listed_tasks(const std::vector<std::string>& tasks) {
  for (const std::string& task : tasks)
    if (task.find(',') != std::string::npos)
      throw EngineError(Fault::Usage, "--tasks", "'" + task + "' has a comma, which separates names",
                        "Give the file another name.");
  return joined(tasks);
}

std::string listed_lengths(const std::vector<std::int64_t>& lengths) {
  std::string text;
  for (const std::int64_t length : lengths) {
    if (length <= 0)
      throw EngineError(Fault::Usage, "--lengths", "has 0 beside other lengths",
                        "Evaluate samples as long as they are into a folder of their own.");
    text += (text.empty() ? "" : ",") + std::to_string(length);
  }
  return text;
}

QuestionPlace usual_place(const SegmentConfig& config) {
  return config.question_pass ? QuestionPlace::Outside : QuestionPlace::Inside;
}

}  // namespace

std::vector<std::string> evaluation_command(const EvaluationRequest& request) {
  const EvaluationPlan& plan = request.plan;
  std::vector<std::string> words{"carryover", "eval", plan.model};
  const auto add = [&words](const char* flag, const std::string& value) { words.insert(words.end(), {flag, value}); };
  if (!plan.adapter.empty()) add("--adapter", plan.adapter);
  add("--tasks", listed_tasks(plan.tasks));
  if (plan.lengths != std::vector<std::int64_t>{0}) add("--lengths", listed_lengths(plan.lengths));
  add("--policies", joined(plan.policies));
  if (plan.samples > 0) add("--samples", std::to_string(plan.samples));
  if (plan.limit > 0) add("--limit", std::to_string(plan.limit));
  if (plan.seed != EvaluationPlan().seed) add("--seed", std::to_string(plan.seed));
  for (const auto& [family, path] : plan.data) add("--data", family + "=" + path);
  if (plan.chat) words.emplace_back("--chat");
  if (plan.question != usual_place(plan.config)) add("--question", question_place_name(plan.question));
  if (plan.dtype != "auto") add("--dtype", plan.dtype);
  if (plan.device != "auto") add("--device", plan.device);
  if (request.threads > 0) add("--threads", std::to_string(request.threads));
  add("--config", json_text(nlohmann::json(plan.config)));
  if (!request.out.empty()) add("--out", request.out);
  return words;
}

}  // namespace carryover
