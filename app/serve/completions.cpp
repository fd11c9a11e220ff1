// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/completions.h"

#include <ctime>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/serve/api_error.h"
#include "app/serve/api_fields.h"
#include "app/serve/event_stream.h"
#include "app/serve/logprob_list.h"
#include "app/serve/token_text.h"
#include "engine/base/utf8.h"
#include "engine/formats/json_file.h"
#include "engine/runs/records/state_header.h"

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

/// One prompt of a request, with the text and the scores that an echo puts before each of its answers.
class ReadPrompt {
 public:
  /// `document`: of a state, or empty.
  ReadPrompt(const CompletionRequest& request, const CompletionPrompt& given, const ServedModel& served,
             const std::vector<std::int32_t>& document)
      : request_(request), served_(served) {
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

  const Prompt& prompt() const { return prompt_; }
  const std::string& text() const { return text_; }        ///< the echo, or empty
  std::int64_t characters() const { return characters_; }  ///< their number in the echo
  /// The number of logprobs in the echo.
  double scores() const {
    if (!request_.echo || !request_.settings.logprobs) return 0;
    return static_cast<double>(prompt_.ids.size()) * (*request_.settings.logprobs + 1);
  }

  /// Adds the scores of the echo. The engine computes them once for all answers.
  void add_scores(ServingEngine& engine, LogprobList& list, RunControl& control) {
    if (!scores_) {
      ScoreRequest scored;
      scored.ids = std::make_shared<const std::vector<std::int32_t>>(prompt_.ids);
      scored.policy = request_.settings.policy;
      scored.config = served_.config;
      scored.top = *request_.settings.logprobs;
      scores_ = engine.score(scored, control);
    }
    list.add_text(prompt_.ids, pieces_, *scores_);
  }

 private:
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
    characters_ = count_characters(text_);
  }

  const CompletionRequest& request_;
  const ServedModel& served_;
  Prompt prompt_;
  std::vector<std::string> pieces_;  ///< the tokens of the echo
  std::string text_;
  std::int64_t characters_ = 0;
  std::optional<TokenScores> scores_;
};

/// One answer to a prompt, behind the echo if one was asked for.
class Choice {
 public:
  /// `index` counts the answers to the request.
  Choice(const CompletionRequest& request, ReadPrompt& prompt, std::int64_t index, const ServedModel& served)
      : request_(request), prompt_(prompt), index_(index), served_(served), list_(*served.tokenizer) {}

  /// `more` is called where there is more to take: the prompt first where it is echoed, then the answer as it comes.
  void run(ServingEngine& engine, const std::function<void()>& more, RunControl& control) {
    if (request_.echo) {
      text_ = prompt_.text();
      if (scored()) prompt_.add_scores(engine, list_, control);
      more();
    }
    if (request_.settings.max_tokens == 0) return;
    const auto emit = [&](const AnswerPart& part) {
      text_ += part.text;
      if (scored()) add(part.tokens);
      if (!part.text.empty() || scored()) more();
    };
    const Answer answered =
        answer(engine, served_, request_.settings, index_, prompt_.prompt(), FirstBlank::Keep, emit, control);
    finish_reason_ = answered.finish_reason;
    generated_ = answered.tokens;
  }

  /// Takes what has come since the last call as an object of the protocol, which has a reason once it is finished.
  json take(bool finished) {
    return {{"index", index_},
            {"text", std::exchange(text_, {})},
            {"logprobs", scored() && !(finished && request_.settings.stream) ? list_.take() : json()},
            {"finish_reason", finished ? json(finish_reason_) : json()}};
  }
  std::int64_t generated() const { return generated_; }

 private:
  bool scored() const { return request_.settings.logprobs.has_value(); }

  void add(const std::vector<AnswerToken>& tokens) {
    for (const auto& [token, offset, blank, is_end] : tokens)
      list_.add(token.id, prompt_.characters() + offset, token.logprob, token.top);
  }

  const CompletionRequest& request_;
  ReadPrompt& prompt_;
  const std::int64_t index_;
  const ServedModel& served_;
  std::string text_;
  LogprobList list_;
  const char* finish_reason_ = "length";
  std::int64_t generated_ = 0;
};

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
  const RequestFields fields = endpoint_fields(body, kCompletions);
  CompletionRequest request;
  request.settings = answer_settings(fields, served, kDefaultTokens);
  request.prompts = read_prompts(fields, served);
  request.question = fields.find_text("question").value_or("");
  request.echo = fields.flag("echo");
  request.state = fields.find_text("state").value_or("");
  if (!request.state.empty()) check_state(request, served, states);
  if (const auto logprobs = fields.find_integer("logprobs", 0, kMostLogprobs))
    request.settings.logprobs = static_cast<int>(*logprobs);
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
  std::int64_t index = 0;
  for (const CompletionPrompt& given : request.prompts) {
    ReadPrompt prompt(request, given, served, document);
    scores = (streams ? 0 : scores) + prompt.scores() * static_cast<double>(streams ? 1 : request.settings.n);
    if (scores > kMostScores)
      RequestFields::refuse("logprobs", "of so long a prompt don't fit an answer: ask for fewer");
    for (std::int64_t i = 0; i < request.settings.n; ++i, ++index) {
      Choice choice(request, prompt, index, served);
      const auto more = [&] {
        if (streams) stream.send(choice.take(false));
      };
      choice.run(engine, more, control);
      usage.add({i == 0 ? std::ssize(prompt.prompt().ids) : 0, choice.generated()});
      if (streams)
        stream.send(choice.take(true));
      else
        choices.push_back(choice.take(true));
    }
  }
  if (streams) return stream.end(usage);
  envelope["choices"] = std::move(choices);
  envelope["usage"] = usage_json(usage);
  writer.reply({200, json_text(envelope)});
}

}  // namespace carryover
