// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/chat.h"

#include <algorithm>
#include <ctime>
#include <iterator>
#include <utility>

#include "app/serve/api_error.h"
#include "app/serve/chat_logprobs.h"
#include "app/serve/event_stream.h"
#include "engine/core/base/error.h"
#include "engine/formats/json_file.h"

namespace carryover {

namespace {

using nlohmann::json;

constexpr std::int64_t kChatTokens = 1024;

/// A text, or a list of parts that are texts: what OpenAI's form allows.
std::string content_of(const json& message) {
  const auto content = message.find("content");
  if (content == message.end() || content->is_null()) return {};
  if (content->is_string()) return content->get<std::string>();
  if (!content->is_array()) RequestFields::refuse("messages", "must have contents that are strings");
  std::string text;
  for (const json& part : *content) {
    const RequestFields fields(part);
    if (fields.find_text("type") != "text") RequestFields::refuse("messages", "may only have parts of type text");
    text += fields.find_text("text").value_or("");
  }
  return text;
}

json read_messages(const RequestFields& fields) {
  const json* given = fields.find("messages");
  if (given == nullptr || !given->is_array() || given->empty() || given->size() > kMostMessages)
    RequestFields::refuse("messages", "must be a list of 1 to " + std::to_string(kMostMessages) + " messages");
  json messages = json::array();
  for (const json& each : *given) {
    const RequestFields message(each);
    const auto role = message.find_text("role");
    if (!role || role->empty()) RequestFields::refuse("messages", "need a role each");
    messages.push_back({{"role", *role}, {"content", content_of(each)}});
    if (const auto name = message.find_text("name")) messages.back()["name"] = *name;
  }
  return messages;
}

/// Tokens of the prompt from the last user's turn on; 0 where it can't be told from what stands before it.
std::int64_t question_tokens(const json& messages, const std::string& text, const std::vector<std::int32_t>& ids,
                             const ServedModel& served) {
  std::size_t last = messages.size() - 1;
  while (last > 0 && messages[last].at("role") != "user") --last;
  if (last == 0) return 0;
  const json before(json::array_t(messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(last)));
  std::string document;
  try {
    document = served.render_chat(before, false);
  } catch (const EngineError& error) {
    if (error.fault() != Fault::BadInput) throw;
    return 0;  // the template takes no conversation without a question
  }
  if (!text.starts_with(document)) return 0;
  // Tokens may lie across its beginning: it begins with the first one that differs.
  const std::vector<std::int32_t> document_ids = served.encode_chat(document);
  const std::int64_t length = ids.end() - std::ranges::mismatch(document_ids, ids).in2;
  return length <= served.config.segment_length ? length : 0;
}

json stream_choice(const json& delta, json logprobs, const char* finish_reason) {
  return {{"index", 0},
          {"delta", delta},
          {"logprobs", std::move(logprobs)},
          {"finish_reason", finish_reason != nullptr ? json(finish_reason) : json()}};
}

/// Of `content`, as chat_logprobs() makes it; null where it was not asked for.
json logprobs_json(const AnswerSettings& settings, json content) {
  if (!settings.logprobs) return nullptr;
  return {{"content", std::move(content)}, {"refusal", nullptr}};
}

/// logprobs: true, and how many likeliest tokens.
std::optional<int> read_logprobs(const RequestFields& fields) {
  const auto top = fields.find_integer("top_logprobs", 0, kMostLogprobs);
  if (fields.flag("logprobs")) return static_cast<int>(top.value_or(0));
  if (top.value_or(0) > 0) RequestFields::refuse("top_logprobs", "is allowed with logprobs: true alone");
  return std::nullopt;
}

/// A chat's answer as it comes: into events, or into a whole message.
class ChatAnswer {
 public:
  ChatAnswer(const AnswerSettings& settings, const ServedModel& served, EventStream& stream)
      : settings_(settings), served_(served), stream_(stream) {}

  void add(const AnswerPart& part) {
    json content = json::array();
    if (settings_.logprobs) content = chat_logprobs(*served_.tokenizer, part.tokens, *settings_.logprobs);
    if (!settings_.stream) {
      text_ += part.text;
      std::ranges::move(content, std::back_inserter(logprobs_));
    } else if (!part.text.empty() || !content.empty()) {
      send(part.text, std::move(content));
    }
  }
  void end(const char* finish_reason, const Usage& usage) {
    if (!begun_) send("", json::array());
    stream_.send(stream_choice(json::object(), nullptr, finish_reason));
    stream_.end(usage);
  }
  json choice(const char* finish_reason) {
    return {{"index", 0},
            {"message", {{"role", "assistant"}, {"content", std::exchange(text_, {})}}},
            {"logprobs", logprobs_json(settings_, std::exchange(logprobs_, json::array()))},
            {"finish_reason", finish_reason}};
  }

 private:
  void send(const std::string& text, json content) {
    json delta{{"content", text}};
    if (!std::exchange(begun_, true)) delta["role"] = "assistant";
    stream_.send(stream_choice(delta, logprobs_json(settings_, std::move(content)), nullptr));
  }

  const AnswerSettings& settings_;
  const ServedModel& served_;
  EventStream& stream_;
  bool begun_ = false;
  std::string text_;
  json logprobs_ = json::array();
};

}  // namespace

ChatRequest parse_chat(std::string_view body, const ServedModel& served) {
  const RequestFields fields(body);
  ChatRequest request;
  request.settings = answer_settings(fields, served, kChatTokens);
  if (const auto most = fields.find_integer("max_completion_tokens", 0, served.most_new_tokens))
    request.settings.max_tokens = *most;
  request.settings.logprobs = read_logprobs(fields);
  check_logprobs(request.settings, 1);
  request.messages = read_messages(fields);
  fields.refuse_other_than("tools", nullptr);
  fields.refuse_other_than("functions", nullptr);
  fields.refuse_other_than("response_format", {{"type", "text"}});
  return request;
}

Prompt chat_prompt(const json& messages, const ServedModel& served) {
  if (!served.render_chat)
    throw ApiError(400, "This model has no chat template: use /v1/completions.", "messages", "no_chat_template");
  const std::string text = served.render_chat(messages, true);
  Prompt prompt{served.encode_chat(text), 0};
  require_tokens(prompt, "messages");
  if (served.config.question_pass) prompt.question_length = question_tokens(messages, text, prompt.ids, served);
  return prompt;
}

void chat(const ChatRequest& request, const std::string& id, const ServedModel& served, ServingEngine& engine,
          ReplyWriter& writer, Usage& usage, RunControl& control) {
  const bool streams = request.settings.stream;
  json envelope{{"id", id},
                {"object", streams ? "chat.completion.chunk" : "chat.completion"},
                {"created", static_cast<std::int64_t>(std::time(nullptr))},
                {"model", request.settings.model}};
  const Prompt prompt = chat_prompt(request.messages, served);
  EventStream stream(writer, envelope, request.settings.stream_usage);
  ChatAnswer whole(request.settings, served, stream);
  const auto emit = [&](const AnswerPart& part) { whole.add(part); };
  Answer answered;
  if (request.settings.max_tokens > 0)
    answered = answer(engine, served, request.settings, prompt, FirstBlank::Drop, emit, control);
  usage.add({std::ssize(prompt.ids), answered.tokens});
  if (streams) return whole.end(answered.finish_reason, usage);
  envelope["choices"] = json::array({whole.choice(answered.finish_reason)});
  envelope["usage"] = usage_json(usage);
  writer.reply({200, json_text(envelope)});
}

}  // namespace carryover
