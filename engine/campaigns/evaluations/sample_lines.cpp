// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/evaluations/sample_lines.h"

#include <nlohmann/json.hpp>
#include <numeric>

#include "engine/base/text_parts.h"
#include "engine/formats/json_file.h"
#include "engine/formats/sha256.h"

namespace carryover {

namespace {

using nlohmann::json;

/// Returns a number as Python writes it: a whole number has ".0".
std::string number_text(double value) {
  std::string text;
  append_digits(text, value);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string target_of(const Task& task, const TaskSample& sample) {
  switch (task.info().kind) {
    case TaskKind::Generation:
      return sample.references.size() == 1 ? sample.references.front() : json_text(json(sample.references));
    case TaskKind::Choice:
      return std::to_string(sample.correct);
    case TaskKind::Perplexity:
      break;
  }
  return {};
}

/// "gen_args_0": {"arg_0": …, "arg_1": …}, one for each request.
json arguments_of(const Task& task, const TaskSample& sample, const std::string& prompt) {
  const TaskInfo& info = task.info();
  json arguments = json::object();
  switch (info.kind) {
    case TaskKind::Generation:
      arguments["gen_args_0"] = {
          {"arg_0", prompt},
          {"arg_1", {{"until", info.stops}, {"max_gen_toks", info.max_new_tokens}, {"do_sample", false}}}};
      break;
    case TaskKind::Choice:
      for (std::size_t i = 0; i < sample.choices.size(); ++i)
        arguments["gen_args_" + std::to_string(i)] = {{"arg_0", prompt}, {"arg_1", sample.choices[i]}};
      break;
    case TaskKind::Perplexity:
      arguments["gen_args_0"] = {{"arg_0", sample.id}};
      break;
  }
  return arguments;
}

/// Returns the model's response to each request.
json responses_of(const Task& task, const SampleEntry& entry) {
  json responses = json::array();
  if (!entry.error.empty()) return responses;
  switch (task.info().kind) {
    case TaskKind::Generation:
      responses.push_back(entry.text);
      break;
    case TaskKind::Choice:
      for (std::size_t i = 0; i < entry.loglikelihoods.size(); ++i)
        responses.push_back({number_text(entry.loglikelihoods[i]), entry.greedy[i] ? "True" : "False"});
      break;
    case TaskKind::Perplexity:
      const auto nll = entry.scores.find("nll");
      if (nll != entry.scores.end()) responses.push_back(number_text(-nll->second));
      break;
  }
  return responses;
}

}  // namespace

json sample_document(const TaskSample& sample) {
  if (!sample.fields.empty()) return sample.fields;
  json object{{"id", sample.id}};
  const auto add = [&](const char* key, const auto& value) {
    if (!value.empty()) object[key] = value;
  };
  add("slice", sample.slice);
  add("context", sample.context);
  add("question", sample.question);
  add("answer_start", sample.answer_start);
  add("references", sample.references);
  add("choices", sample.choices);
  if (!sample.choices.empty()) object["correct"] = sample.correct;
  return object;
}

json sample_line(const Task& task, std::size_t index, const TaskSample& sample, const std::string& prompt,
                 const SampleEntry& entry) {
  json doc = sample_document(sample);
  const std::string target = target_of(task, sample);
  const json responses = responses_of(task, entry);
  json repeated = json::array(), metrics = json::array();
  for (const json& response : responses) repeated.push_back(json::array({response}));
  json line = json::object();
  for (const auto& [name, score] : entry.scores) {
    metrics.push_back(name);
    line[name] = score;
  }
  line.update({{"doc_id", index},
               {"target", target},
               {"arguments", arguments_of(task, sample, prompt)},
               {"resps", std::move(repeated)},
               {"filtered_resps", responses},
               {"filter", "none"},
               {"metrics", std::move(metrics)},
               {"doc_hash", sha256(json_text(doc, 2))},
               {"prompt_hash", entry.prompt_hash},
               {"target_hash", sha256(target)}});
  line["doc"] = std::move(doc);
  if (!entry.error.empty()) line["error"] = entry.error;
  return line;
}

void TaskHash::add(const json& line) {
  for (const char* key : {"doc_hash", "prompt_hash", "target_hash"}) hashes_ += line.at(key).get<std::string>();
}

std::string TaskHash::hex() const {
  return sha256(hashes_);
}

}  // namespace carryover
