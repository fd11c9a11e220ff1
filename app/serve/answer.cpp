// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/answer.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/serve/api_error.h"
#include "app/serve/stop_filter.h"
#include "engine/core/base/utf8.h"
#include "engine/formats/json_file.h"

namespace carryover {

namespace {

constexpr std::int64_t kMostSeed = std::numeric_limits<std::int64_t>::max();

/// vLLM's; without effect on a greedy answer, and with 1 the answer is a greedy one.
void read_top_k(const RequestFields& fields, Sampling& sampling) {
  const auto top_k = fields.find_integer("top_k", -1, kMostSeed);
  if (top_k == 1) sampling.temperature = 0;
  if (top_k.value_or(-1) > 1 && sampling.temperature > 0)
    RequestFields::refuse("top_k", "is not supported for a temperature above 0: use top_p");
}

/// Bytes of ids into whole characters.
class Characters {
 public:
  Characters(const Tokenizer& tokenizer, FirstBlank first) : tokenizer_(tokenizer), drops_(first == FirstBlank::Drop) {}
  std::string push(std::int32_t id) {
    pending_ += drops_ ? tokenizer_.decode({&id, 1}) : tokenizer_.bytes(id);
    drops_ = false;
    return take_utf8(pending_, false);
  }
  std::string finish() { return take_utf8(pending_, true); }

 private:
  const Tokenizer& tokenizer_;
  bool drops_;
  std::string pending_;
};

}  // namespace

AnswerSettings answer_settings(const RequestFields& fields, const ServedModel& served, std::int64_t max_tokens) {
  AnswerSettings settings;
  settings.model = fields.find_text("model").value_or("");
  settings.policy = served.names.policy_of(settings.model);
  if (settings.model.empty()) settings.model = served.names.name;
  settings.max_tokens = fields.find_integer("max_tokens", 0, served.most_new_tokens)
                            .value_or(std::min(max_tokens, served.most_new_tokens));
  constexpr double kMostTemperature = 100;
  settings.sampling.temperature = fields.find_number("temperature", 0, kMostTemperature).value_or(1);
  settings.sampling.top_p = fields.find_number("top_p", 0, 1).value_or(1);
  const auto seed = fields.find_integer("seed", std::numeric_limits<std::int64_t>::min(), kMostSeed);
  settings.sampling.seed = seed ? static_cast<std::uint64_t>(*seed) : served.seed;
  read_top_k(fields, settings.sampling);
  settings.stops = fields.texts("stop", kMostStops, kLongestStop);
  settings.stream = fields.flag("stream");
  if (const nlohmann::json* options = fields.find("stream_options"))
    settings.stream_usage = RequestFields(*options).flag("include_usage");
  fields.refuse_other_than("n", 1);
  fields.refuse_other_than("logit_bias", nullptr);
  fields.refuse_other_than("presence_penalty", 0);
  fields.refuse_other_than("frequency_penalty", 0);
  fields.refuse_other_than("repetition_penalty", 1);
  fields.refuse_other_than("min_p", 0);
  return settings;
}

void Usage::add(const Usage& other) {
  prompt_tokens += other.prompt_tokens;
  generated_tokens += other.generated_tokens;
}

nlohmann::json usage_json(const Usage& usage) {
  return {{"prompt_tokens", usage.prompt_tokens},
          {"completion_tokens", usage.generated_tokens},
          {"total_tokens", usage.prompt_tokens + usage.generated_tokens}};
}

Answer answer(ServingEngine& engine, const ServedModel& served, const AnswerSettings& settings, const Prompt& prompt,
              std::optional<int> top, FirstBlank first, const std::function<void(const std::string&)>& emit,
              RunControl& control) {
  GenerateRequest request;
  request.prompt = prompt.ids;
  request.question_length = prompt.question_length;
  request.max_new_tokens = settings.max_tokens;
  request.policy = settings.policy;
  request.config = served.config;
  request.sampling = settings.sampling;

  Answer answer;
  Characters characters(*served.tokenizer, first);
  StopFilter filter(settings.stops);
  const auto give = [&](const std::string& text) {
    answer.text += text;
    if (!text.empty()) emit(text);
  };
  bool ended = false;
  const auto on_token = [&](std::int32_t id) {
    ended = std::ranges::find(served.stop_ids, id) != served.stop_ids.end();
    if (!ended) give(filter.push(characters.push(id)));
    return !ended && !filter.stopped();
  };
  answer.generated = engine.generate(request, top, on_token, control);
  give(filter.push(characters.finish()));
  answer.at_stop_text = filter.stopped();
  if (ended || answer.at_stop_text) answer.finish_reason = "stop";
  give(filter.finish());
  return answer;
}

void require_tokens(const Prompt& prompt, const char* field) {
  if (prompt.ids.empty()) RequestFields::refuse(field, "has no tokens");
}

std::string sse_text(const nlohmann::json& json) {
  return "data: " + json_text(json) + "\n\n";
}

}  // namespace carryover
