// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/answer.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/serve/api_error.h"
#include "engine/formats/json_file.h"

namespace carryover {

namespace {

constexpr double kGreedyBelow = 1e-5;  // vLLM's; logits over less could be no numbers
constexpr std::int64_t kMostSeed = std::numeric_limits<std::int64_t>::max();

/// vLLM's; without effect on a greedy answer, and with 1 the answer is a greedy one.
void read_top_k(const RequestFields& fields, Sampling& sampling) {
  const auto top_k = fields.find_integer("top_k", -1, kMostSeed);
  if (top_k == 1) sampling.temperature = 0;
  if (top_k.value_or(-1) > 1 && sampling.temperature > 0)
    RequestFields::refuse("top_k", "is not supported for a temperature above 0: use top_p");
}

bool wants_usage(const RequestFields& fields, bool stream) {
  const nlohmann::json* options = fields.find("stream_options");
  if (options == nullptr) return false;
  if (!stream) RequestFields::refuse("stream_options", "is allowed with stream: true alone");
  if (!options->is_object()) RequestFields::refuse("stream_options", "must be an object");
  for (const auto& [name, value] : options->items())  // obfuscation is padding, which HTTP without TLS does not need
    if (name != "include_usage" && name != "include_obfuscation" && value != nlohmann::json(false) && !value.is_null())
      RequestFields::refuse("stream_options", "may have include_usage alone");
  return RequestFields(*options).flag("include_usage");
}

/// Reads which tokens end an answer; the stop texts are read elsewhere.
void read_ends(const RequestFields& fields, const ServedModel& served, AnswerSettings& settings) {
  settings.ignore_end = fields.flag("ignore_eos");
  if (const nlohmann::json* ids = fields.find("stop_token_ids"))
    settings.stop_ids = ids_from(*ids, "stop_token_ids", served.vocabulary);
  if (settings.stop_ids.size() > kMostStopIds)
    RequestFields::refuse("stop_token_ids", "may have at most " + std::to_string(kMostStopIds) + " ids");
  settings.min_tokens = fields.find_integer("min_tokens", 0, settings.max_tokens).value_or(0);
}

bool contains(const std::vector<std::int32_t>& ids, std::int32_t id) {
  return std::ranges::find(ids, id) != ids.end();
}

GenerateRequest generate_request(const ServedModel& served, const AnswerSettings& settings, std::int64_t index,
                                 const Prompt& prompt) {
  GenerateRequest request;
  request.prompt = prompt.ids;
  request.question_length = prompt.question_length;
  request.max_new_tokens = settings.max_tokens;
  request.policy = settings.policy;
  request.config = served.config;
  request.sampling = settings.sampling;
  request.sampling.seed = answer_seed(settings.sampling.seed, index);
  request.logprobs = settings.logprobs.has_value();
  request.top_logprobs = settings.logprobs.value_or(0);
  request.barred_tokens = settings.min_tokens;
  request.barred_ids = settings.stop_ids;
  if (!settings.ignore_end)
    request.barred_ids.insert(request.barred_ids.end(), served.stop_ids.begin(), served.stop_ids.end());
  if (settings.min_tokens == 0) request.barred_ids.clear();
  return request;
}

}  // namespace

AnswerSettings answer_settings(const RequestFields& fields, const ServedModel& served, std::int64_t max_tokens) {
  AnswerSettings settings;
  settings.model = fields.find_text("model").value_or("");
  settings.policy = served.names.policy_of(settings.model);
  if (settings.model.empty()) settings.model = served.names.name;
  const char* const most = fields.find("max_completion_tokens") != nullptr ? "max_completion_tokens" : "max_tokens";
  settings.max_tokens =
      fields.find_integer(most, 0, served.most_new_tokens).value_or(std::min(max_tokens, served.most_new_tokens));
  constexpr double kMostTemperature = 100;
  settings.sampling.temperature = fields.find_number("temperature", 0, kMostTemperature).value_or(1);
  if (settings.sampling.temperature < kGreedyBelow) settings.sampling.temperature = 0;
  settings.sampling.top_p = fields.find_number("top_p", 0, 1).value_or(1);
  const auto seed = fields.find_integer("seed", std::numeric_limits<std::int64_t>::min(), kMostSeed);
  settings.sampling.seed = seed ? static_cast<std::uint64_t>(*seed) : served.seeds->next();
  read_top_k(fields, settings.sampling);
  settings.stops = fields.texts("stop", kMostStops, kLongestStop);
  settings.stream = fields.flag("stream");
  settings.stream_usage = wants_usage(fields, settings.stream);
  settings.n = fields.find_integer("n", 1, kMostAnswers).value_or(1);
  if (fields.find_integer("best_of", 1, kMostAnswers).value_or(settings.n) != settings.n)
    RequestFields::refuse("best_of", "is supported where it equals n");
  read_ends(fields, served, settings);
  return settings;
}

void check_logprobs(const AnswerSettings& settings, std::size_t prompts) {
  if (settings.stream || !settings.logprobs) return;
  const double answers = static_cast<double>(prompts) * static_cast<double>(settings.n);
  const double scores = answers * static_cast<double>(settings.max_tokens) * (*settings.logprobs + 1);
  if (scores > kMostScores)
    RequestFields::refuse("logprobs", "of so long an answer are too many: ask for fewer, or stream");
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

Answer answer(ServingEngine& engine, const ServedModel& served, const AnswerSettings& settings, std::int64_t index,
              const Prompt& prompt, FirstBlank blank, const std::function<void(const AnswerPart&)>& emit,
              RunControl& control) {
  Answer answer;
  AnswerParts parts(*served.tokenizer, blank, settings.stops);
  const auto give = [&](const AnswerPart& part) {
    if (!part.text.empty() || !part.tokens.empty()) emit(part);
  };
  bool ended = false;
  const auto on_token = [&](const GeneratedToken& token) {
    ++answer.tokens;
    const bool is_end = contains(served.stop_ids, token.id), is_stop = contains(settings.stop_ids, token.id);
    ended = is_stop || (is_end && !settings.ignore_end);
    give(is_end || is_stop ? parts.push_end(token) : parts.push(token));
    return !ended && !parts.stopped();
  };
  engine.generate(generate_request(served, settings, index, prompt), on_token, control);
  give(parts.finish());
  if (ended || parts.stopped()) answer.finish_reason = "stop";
  return answer;
}

void require_tokens(const Prompt& prompt, const char* field) {
  if (prompt.ids.empty()) RequestFields::refuse(field, "has no tokens");
}

std::string sse_text(const nlohmann::json& json) {
  return "data: " + json_text(json) + "\n\n";
}

}  // namespace carryover
