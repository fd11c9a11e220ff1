// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/completions.h"

#include <ctime>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/serve/api_error.h"
#include "app/serve/event_stream.h"
#include "app/serve/logprob_list.h"
#include "app/serve/token_text.h"
#include "engine/core/base/utf8.h"
#include "engine/formats/json_file.h"
#include "engine/records/state_header.h"

namespace carryover {

namespace {

using nlohmann::json;

constexpr std::int64_t kDefaultTokens = 16;  // OpenAI's

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

  /// `more` is called where there is more to take: the prompt first where it is echoed, then the answer as it comes.
  void run(ServingEngine& engine, const std::function<void()>& more, RunControl& control) {
    if (request_.echo) {
      if (scored()) score_prompt(engine, control);
      more();
    }
    if (request_.settings.max_tokens == 0) return;
    const auto emit = [&](const AnswerPart& part) {
      text_ += part.text;
      if (scored()) add(part.tokens);
      if (!part.text.empty() || scored()) more();
    };
    const Answer answered = answer(engine, served_, request_.settings, prompt_, FirstBlank::Keep, emit, control);
    finish_reason_ = answered.finish_reason;
    generated_ = answered.tokens;
  }

  /// What has come since the last call.
  std::string take_text() { return std::exchange(text_, {}); }
  json take_logprobs() { return scored() ? list_.take() : json(); }
  const char* finish_reason() const { return finish_reason_; }
  Usage usage() const { return {std::ssize(prompt_.ids), generated_}; }
  /// Numbers in the logprobs of an echoed prompt.
  double echoed_scores() const {
    if (!request_.echo || !scored()) return 0;
    return static_cast<double>(prompt_.ids.size()) * (*request_.settings.logprobs + 1);
  }

 private:
  bool scored() const { return request_.settings.logprobs.has_value(); }

  /// The prompt as it was given, or what its ids spell.
  void spell(const CompletionPrompt& given) {
    pieces_ = token_pieces(*served_.tokenizer, prompt_.ids);
    if (given.text) {
      text_ = *given.text + request_.question;
      const bool put_bos = served_.config.bos && prompt_.ids.front() == served_.tokenizer->bos();
      if (put_bos) pieces_.front().clear();  // which the text does not have
    } else {
      std::string bytes;
      for (const std::string& piece : pieces_) bytes += piece;
      text_ = take_utf8(bytes, true);
    }
    echoed_ = count_characters(text_);
  }

  void score_prompt(ServingEngine& engine, RunControl& control) {
    ScoreRequest scored;
    scored.ids = std::make_shared<const std::vector<std::int32_t>>(prompt_.ids);
    scored.policy = request_.settings.policy;
    scored.config = served_.config;
    scored.top = *request_.settings.logprobs;
    list_.add_text(prompt_.ids, pieces_, engine.score(scored, control));
  }

  void add(const std::vector<AnswerToken>& tokens) {
    for (const auto& [token, offset, blank, is_end] : tokens)
      list_.add(token.id, echoed_ + offset, token.logprob, token.top);
  }

  const CompletionRequest& request_;
  const ServedModel& served_;
  Prompt prompt_;
  std::vector<std::string> pieces_;  ///< of the prompt, where it is echoed
  std::int64_t echoed_ = 0;          ///< characters of it
  std::string text_;
  LogprobList list_;
  const char* finish_reason_ = "length";
  std::int64_t generated_ = 0;
};

json choice_json(std::int64_t index, const std::string& text, json logprobs, const char* finish_reason) {
  return {{"index", index},
          {"text", text},
          {"logprobs", std::move(logprobs)},
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
    request.settings.logprobs = static_cast<int>(*logprobs);
  fields.require_one("best_of");
  fields.refuse_other_than("suffix", "");
  check_logprobs(request.settings, request.prompts.size());
  return request;
}

void complete(const CompletionRequest& request, const std::string& id, const ServedModel& served,
              const StateStore& states, ServingEngine& engine, ReplyWriter& writer, Usage& usage, RunControl& control) {
  json envelope{{"id", id},
                {"object", "text_completion"},
                {"created", static_cast<std::int64_t>(std::time(nullptr))},
                {"model", request.settings.model}};
  const bool streams = request.settings.stream;
  EventStream stream(writer, envelope, request.settings.stream_usage);
  std::vector<std::int32_t> document;
  if (!request.state.empty()) document = engine.take_state(states.path_of(request.state));
  json choices = json::array();
  double scores = 0;  // that are kept
  for (std::int64_t index = 0; index < std::ssize(request.prompts); ++index) {
    Choice choice(request, request.prompts[static_cast<std::size_t>(index)], served, document);
    scores = (streams ? 0 : scores) + choice.echoed_scores();
    if (scores > kMostScores)
      RequestFields::refuse("logprobs", "of so long a prompt don't fit an answer: ask for fewer");
    const auto more = [&] {
      if (streams) stream.send(choice_json(index, choice.take_text(), choice.take_logprobs(), nullptr));
    };
    choice.run(engine, more, control);
    usage.add(choice.usage());
    if (streams)
      stream.send(choice_json(index, "", nullptr, choice.finish_reason()));
    else
      choices.push_back(choice_json(index, choice.take_text(), choice.take_logprobs(), choice.finish_reason()));
  }
  if (streams) return stream.end(usage);
  envelope["choices"] = std::move(choices);
  envelope["usage"] = usage_json(usage);
  writer.reply({200, json_text(envelope)});
}

}  // namespace carryover
