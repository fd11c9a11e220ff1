// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/completions.h"

#include <ctime>
#include <nlohmann/json.hpp>

#include "app/serve/api_error.h"
#include "app/serve/event_stream.h"
#include "app/serve/logprob_list.h"
#include "engine/core/base/utf8.h"
#include "engine/formats/json_file.h"
#include "engine/records/state_header.h"

namespace carryover {

namespace {

using nlohmann::json;

constexpr std::int64_t kDefaultTokens = 16;      // OpenAI's
constexpr std::int64_t kMostScores = 4'000'000;  // numbers in the answer to an echo

CompletionPrompt prompt_from(const json& value, const ServedModel& served) {
  if (value.is_string()) return {value.get<std::string>(), {}};
  return {std::nullopt, ids_from(value, "prompt", served.vocabulary)};
}

std::vector<CompletionPrompt> read_prompts(const RequestFields& fields, const ServedModel& served) {
  const json* value = fields.find("prompt");
  if (value == nullptr) RequestFields::refuse("prompt", "is missing");
  const bool is_list = value->is_array() && !value->empty() && !value->front().is_number();
  if (!is_list) return {prompt_from(*value, served)};
  if (value->size() > kMostPrompts)
    RequestFields::refuse("prompt", "may have at most " + std::to_string(kMostPrompts) + " texts");
  std::vector<CompletionPrompt> prompts;
  for (const json& each : *value) prompts.push_back(prompt_from(each, served));
  return prompts;
}

/// One prompt and what comes behind it.
class Choice {
 public:
  /// `document`: of a state, or empty.
  Choice(const CompletionRequest& request, const CompletionPrompt& given, const ServedModel& served,
         const std::vector<std::int32_t>& document)
      : request_(request), served_(served), list_(*served.tokenizer) {
    if (request.state.empty()) {
      prompt_.ids = given.text ? served.encode(*given.text) : given.ids;
    } else {
      const std::vector<std::int32_t> question = given.text ? served.encode_behind(*given.text) : given.ids;
      if (question.empty()) RequestFields::refuse("prompt", "has no tokens");
      prompt_.ids = document;
      prompt_.ids.insert(prompt_.ids.end(), question.begin(), question.end());
      prompt_.question_length = std::ssize(question);
    }
    if (!request.question.empty()) {
      const std::vector<std::int32_t> question = served.encode_behind(request.question);
      prompt_.ids.insert(prompt_.ids.end(), question.begin(), question.end());
      prompt_.question_length = std::ssize(question);
    }
    require_tokens(prompt_, "prompt");
    if (request.echo) spell(given);
  }

  /// `emit` gets the text as it comes, the prompt's first where it is echoed.
  void run(ServingEngine& engine, const std::function<void(const std::string&)>& emit, RunControl& control) {
    if (request_.echo) {
      if (request_.logprobs) score_prompt(engine, control);
      emit(text_);
    }
    if (request_.settings.max_tokens == 0) return;
    const Answer answered =
        answer(engine, served_, request_.settings, prompt_, request_.logprobs, FirstBlank::Keep, emit, control);
    text_ += answered.text;
    finish_reason_ = answered.finish_reason;
    generated_ = std::ssize(answered.generated.ids);
    if (request_.logprobs) add_generated(answered);
  }

  Usage usage() const { return {std::ssize(prompt_.ids), generated_}; }
  json result(std::int64_t index) const {
    return {{"index", index},
            {"text", text_},
            {"logprobs", request_.logprobs ? list_.json() : json()},
            {"finish_reason", finish_reason_}};
  }
  const char* finish_reason() const { return finish_reason_; }

 private:
  /// The prompt as it was given, or what its ids spell.
  void spell(const CompletionPrompt& given) {
    pieces_ = token_pieces(*served_.tokenizer, prompt_.ids, false);
    if (given.text) {
      text_ = *given.text + request_.question;
      const bool put_bos = served_.config.bos && prompt_.ids.front() == served_.tokenizer->bos();
      if (put_bos) pieces_.front().clear();  // which the text does not have
      return;
    }
    std::string bytes;
    for (const std::string& piece : pieces_) bytes += piece;
    text_ = take_utf8(bytes, true);
  }

  void score_prompt(ServingEngine& engine, RunControl& control) {
    if (std::ssize(prompt_.ids) * (*request_.logprobs + 1) > kMostScores)
      RequestFields::refuse("logprobs", "of so long a prompt don't fit an answer: ask for fewer");
    ScoreRequest scored;
    scored.ids = std::make_shared<const std::vector<std::int32_t>>(prompt_.ids);
    scored.policy = request_.settings.policy;
    scored.config = served_.config;
    scored.top = *request_.logprobs;
    list_.add_all(prompt_.ids, pieces_, engine.score(scored, control), -1);
  }

  void add_generated(const Answer& answered) {
    const std::size_t before = request_.echo ? prompt_.ids.size() : 0;
    const GeneratedText& generated = answered.generated;
    list_.add_all(generated.ids, token_pieces(*served_.tokenizer, generated.ids, true), generated.scores, 0);
    if (answered.at_stop_text) list_.cut(before, count_characters(text_));
  }

  const CompletionRequest& request_;
  const ServedModel& served_;
  Prompt prompt_;
  std::vector<std::string> pieces_;  ///< of the prompt, where it is echoed
  std::string text_;
  LogprobList list_;
  const char* finish_reason_ = "length";
  std::int64_t generated_ = 0;
};

json stream_choice(std::int64_t index, const std::string& text, const char* finish_reason) {
  return {{"index", index},
          {"text", text},
          {"logprobs", nullptr},
          {"finish_reason", finish_reason != nullptr ? json(finish_reason) : json()}};
}

void check_state(const CompletionRequest& request, const ServedModel& served, const StateStore& states) {
  const StateStore::Kept kept = states.find(request.state);
  if (kept.policy != request.settings.policy)
    throw ApiError(400, "This state was read under another policy: ask for " + served.names.name + ":" + kept.policy,
                   "state");
  if (as_read(kept.config) != as_read(served.config))
    throw ApiError(400, "This state was read under other settings than this server has.", "state");
  if (request.echo || !request.question.empty())
    throw ApiError(400, "With a state the prompt is the question: leave out echo and question.", "state");
}

}  // namespace

CompletionRequest parse_completion(std::string_view body, const ServedModel& served, const StateStore& states) {
  const RequestFields fields(body);
  CompletionRequest request;
  request.settings = answer_settings(fields, served, kDefaultTokens);
  request.prompts = read_prompts(fields, served);
  request.question = fields.find_text("question").value_or("");
  request.echo = fields.flag("echo");
  request.state = fields.find_text("state").value_or("");
  if (!request.state.empty()) check_state(request, served, states);
  if (const auto logprobs = fields.find_integer("logprobs", 0, kMostLogprobs))
    request.logprobs = static_cast<int>(*logprobs);
  fields.refuse_other_than("best_of", 1);
  fields.refuse_other_than("suffix", "");
  if (request.settings.stream && request.logprobs) RequestFields::refuse("logprobs", "is not supported in a stream");
  return request;
}

void complete(const CompletionRequest& request, const std::string& id, const ServedModel& served,
              const StateStore& states, ServingEngine& engine, ReplyWriter& writer, Usage& usage, RunControl& control) {
  json envelope{{"id", id},
                {"object", "text_completion"},
                {"created", static_cast<std::int64_t>(std::time(nullptr))},
                {"model", request.settings.model}};
  EventStream stream(writer, envelope);
  std::vector<std::int32_t> document;
  if (!request.state.empty()) document = engine.take_state(states.path_of(request.state));
  json choices = json::array();
  for (std::int64_t index = 0; index < std::ssize(request.prompts); ++index) {
    Choice choice(request, request.prompts[static_cast<std::size_t>(index)], served, document);
    const auto emit = [&](const std::string& text) {
      if (request.settings.stream) stream.send(stream_choice(index, text, nullptr));
    };
    choice.run(engine, emit, control);
    usage.add(choice.usage());
    if (request.settings.stream)
      stream.send(stream_choice(index, "", choice.finish_reason()));
    else
      choices.push_back(choice.result(index));
  }
  if (request.settings.stream) return stream.end(request.settings, usage);
  envelope["choices"] = std::move(choices);
  envelope["usage"] = usage_json(usage);
  writer.reply({200, json_text(envelope)});
}

}  // namespace carryover
