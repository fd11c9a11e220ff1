// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/file_tasks.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/base/config_fields.h"
#include "engine/base/error.h"
#include "engine/formats/json_file.h"
#include "engine/tasks/base/code_points.h"
#include "engine/tasks/base/made_text.h"
#include "engine/tasks/base/task_records.h"
#include "engine/tasks/scores/answer_scores.h"

namespace carryover {

namespace {

using nlohmann::json;

constexpr std::string_view kPrefix = "file:";
constexpr std::size_t kMostSamples = 100'000;
constexpr std::int64_t kMostNewTokens = 1'000'000;

[[noreturn]] void refuse(const std::string& where, const std::string& problem, const std::string& advice) {
  throw EngineError(Fault::BadInput, where, problem, advice);
}

/// A field's list of texts, none of them empty; none where the field isn't there.
std::vector<std::string> texts_of(const json& record, const char* key, const std::string& where) {
  const json* field = JsonFields(record, where).find(key);
  if (field == nullptr) return {};
  std::vector<std::string> texts = read_strings(*field, where, key);
  if (std::ranges::any_of(texts, &std::string::empty))
    refuse(where, std::string("\"") + key + "\" has an empty text", "Leave it out.");
  return texts;
}

void read_prompt(TaskSample& sample, const json& record, const std::string& where) {
  const JsonFields fields(record, where);
  const auto prompt = fields.find_text("prompt"), context = fields.find_text("context"),
             question = fields.find_text("question");
  if (prompt ? context || question : !question)
    refuse(where, "has to have either \"prompt\" or \"question\", with or without \"context\"",
           "Write {\"prompt\": \"…\", \"answers\": [\"…\"]}.");
  sample.context = context.value_or("");
  sample.question = prompt ? *prompt : *question;
  if (sample.context.empty() && sample.question.empty()) refuse(where, "has an empty prompt", "Give a text.");
  sample.needles = texts_of(record, "needle", where);
  for (const std::string& needle : sample.needles)
    if (sample.context.find(needle) == std::string::npos)
      refuse(where, "its needle is not in its \"context\"", "Copy the needle from the context.");
}

void read_choices(TaskSample& sample, const json& record, const std::string& where) {
  const JsonFields fields(record, where);
  const std::string delimiter = fields.find_text("target_delimiter").value_or(" ");
  const std::vector<std::string> choices = texts_of(record, "choices", where);
  if (choices.size() < 2) refuse(where, "has fewer than two choices", "Give two or more.");
  for (const std::string& choice : choices) sample.choices.push_back(delimiter + choice);
  const std::int64_t answer = fields.integer("answer");
  if (answer < 0 || answer >= std::ssize(choices))
    refuse(where,
           "its answer is " + std::to_string(answer) + ", and it has " + std::to_string(choices.size()) + " choices",
           "Give the right choice's index, from 0.");
  sample.correct = static_cast<std::size_t>(answer);
}

/// NumPy's argmax: the first of equals, and a NaN before any number.
template <typename Value>
std::size_t first_largest(std::size_t count, Value value) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::isnan(value(i))) return i;
    if (value(i) > value(best)) best = i;
  }
  return best;
}

/// Characters of each choice without what stands between prompt and choice.
std::vector<double> choice_lengths(const TaskSample& sample) {
  const auto delimiter = sample.fields.find("target_delimiter");
  const std::size_t before =
      delimiter != sample.fields.end() && delimiter->is_string() ? delimiter->get_ref<const std::string&>().size() : 1;
  std::vector<double> lengths;
  for (const std::string& choice : sample.choices)
    lengths.push_back(static_cast<double>(code_points(std::string_view(choice).substr(before)).size()));
  return lengths;
}

class FileTask final : public Task {
 public:
  explicit FileTask(const std::string& name) {
    info_.name = name;
    info_.convention = "a line's own prompt; samples that the length has no room for are left out";
    info_.source = "EleutherAI/lm-evaluation-harness 0.4.13";
    const std::string path = name.substr(kPrefix.size());
    read_records(path, 0, [this](json& record, const std::string& where) { add(record, where); });
  }
  const TaskInfo& info() const override { return info_; }

  std::vector<TaskSample> samples(const SampleRequest& request) const override {
    std::vector<TaskSample> taken;
    for (const TaskSample& sample : samples_) {
      if (request.count > 0 && std::ssize(taken) == request.count) break;
      if (request.length == 0 || tokens_of(sample, tokenizer_of(request, info_.name)) <= request.length)
        taken.push_back(sample);
    }
    if (taken.empty())
      throw EngineError(Fault::Usage, info_.name,
                        "has no sample of at most " + std::to_string(request.length) + " tokens",
                        "Ask for a greater length.");
    return taken;
  }

  Scores score(const TaskSample& sample, const TaskAnswer& answer) const override {
    if (info_.kind == TaskKind::Choice) return choice_scores(sample, answer);
    const auto matches = [&](const std::string& reference) { return exact_match_score(answer.text, reference); };
    const auto contains = [&](const std::string& reference) {
      return answer.text.find(reference) != std::string::npos ? 1.0 : 0.0;
    };
    return {{"exact_match", best_score(sample.references, matches)},
            {"contains", best_score(sample.references, contains)}};
  }

 private:
  void add(json& record, const std::string& where) {
    const TaskKind kind = record.contains("choices") ? TaskKind::Choice : TaskKind::Generation;
    if (samples_.empty()) {
      info_.kind = kind;
      info_.metric = kind == TaskKind::Choice ? "acc" : "exact_match";
      if (kind == TaskKind::Generation) set_generation(record, where);
    }
    if (kind != info_.kind) refuse(where, "is of another kind than the lines before it", "Use a file for each kind.");
    if (samples_.size() == kMostSamples)
      refuse(where, "exceeds the maximum number of samples",
             "Use at most " + std::to_string(kMostSamples) + " in a file.");
    TaskSample sample;
    read_prompt(sample, record, where);
    if (kind == TaskKind::Choice) {
      read_choices(sample, record, where);
    } else {
      sample.references = texts_of(record, "answers", where);
      if (sample.references.empty()) refuse(where, "has no answers", "Write \"answers\": [\"…\"].");
      check_generation(record, where);
    }
    const JsonFields fields(record, where);
    sample.id = fields.find_text("id").value_or(std::to_string(samples_.size() + 1));
    sample.slice = fields.find_text("slice").value_or("");
    if (!ids_.insert(sample.id).second)
      refuse(where, "has the id \"" + sample.id.substr(0, 60) + "\", like an earlier one", "Use another one.");
    sample.fields = std::move(record);
    samples_.push_back(std::move(sample));
  }

  void set_generation(const json& record, const std::string& where) {
    const JsonFields fields(record, where);
    info_.stops = fields.find("stop") != nullptr ? texts_of(record, "stop", where) : std::vector<std::string>{"\n\n"};
    info_.max_new_tokens = fields.find_integer("max_new_tokens").value_or(256);
    if (info_.max_new_tokens < 1 || info_.max_new_tokens > kMostNewTokens)
      refuse(where, "\"max_new_tokens\" is " + std::to_string(info_.max_new_tokens),
             "Use 1 to " + std::to_string(kMostNewTokens) + ".");
  }

  void check_generation(const json& record, const std::string& where) const {
    const JsonFields fields(record, where);
    const bool other_stop = fields.find("stop") != nullptr && texts_of(record, "stop", where) != info_.stops;
    if (other_stop || fields.find_integer("max_new_tokens").value_or(info_.max_new_tokens) != info_.max_new_tokens)
      refuse(where, "has another \"stop\" or \"max_new_tokens\" than the first line", "Use the same, or two files.");
  }

  /// Returns the number of tokens of prompt and answer; of several choices, the longest counts.
  std::int64_t tokens_of(const TaskSample& sample, const Tokenizer& tokenizer) const {
    const std::string prompt = sample.context + sample.question;
    std::int64_t tokens = info_.max_new_tokens + (sample.choices.empty() ? std::ssize(tokenizer.encode(prompt)) : 0);
    for (const std::string& choice : sample.choices)
      tokens = std::max<std::int64_t>(tokens, std::ssize(tokenizer.encode(prompt + choice)));
    return tokens;
  }

  static Scores choice_scores(const TaskSample& sample, const TaskAnswer& answer) {
    const std::size_t count = sample.choices.size();
    if (answer.loglikelihoods.size() != count) return {{"acc", 0.0}, {"acc_norm", 0.0}};
    const std::vector<double>& values = answer.loglikelihoods;
    const std::vector<double> lengths = choice_lengths(sample);
    const std::size_t best = first_largest(count, [&](std::size_t i) { return values[i]; });
    const std::size_t best_by_length = first_largest(count, [&](std::size_t i) { return values[i] / lengths[i]; });
    return {{"acc", best == sample.correct ? 1.0 : 0.0}, {"acc_norm", best_by_length == sample.correct ? 1.0 : 0.0}};
  }

  TaskInfo info_;
  std::vector<TaskSample> samples_;
  std::set<std::string> ids_;
};

}  // namespace

std::unique_ptr<Task> make_file_task(const std::string& name) {
  if (!name.starts_with(kPrefix) || name.size() == kPrefix.size()) refuse_task_name(name, {"file:PATH"});
  return std::make_unique<FileTask>(name);
}

}  // namespace carryover
