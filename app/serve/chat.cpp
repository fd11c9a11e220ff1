// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/chat.h"

#include <algorithm>
#include <ctime>
#include <iterator>
#include <utility>

#include "app/serve/api_error.h"
#include "app/serve/api_fields.h"
#include "app/serve/chat_logprobs.h"
#include "app/serve/event_stream.h"
#include "engine/base/error.h"
#include "engine/formats/json_file.h"

namespace carryover {

namespace {

using nlohmann::json;

const json kEmptyText(json::value_t::string);

constexpr std::int64_t kChatTokens = 1024;
constexpr const char* kMessageTexts[] = {"name",      "id",      "type", "tool_call_id", "reasoning_content",
                                         "reasoning", "thinking"};
// A request can't set these values of a template: they are the conversation or functions of the language.
constexpr const char* kReservedValues[] = {
    "messages",  "add_generation_prompt", "strftime_now", "raise_exception", "range", "dict",
    "namespace", "continue_final_message"};

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

/// Keeps the texts of a message, which templates read by name. Clients send answers back with fields that are null or
/// empty, and these are dropped. Anything else, such as a call of a tool, is refused, because it would be lost.
json read_message(const json& given) {
  const RequestFields fields(given);
  const auto role = fields.find_text("role");
  if (!role || role->empty()) RequestFields::refuse("messages", "need a role each");
  json message{{"role", *role}, {"content", content_of(given)}};
  for (const auto& [name, value] : given.items()) {
    if (name == "role" || name == "content" || value.empty() || value == kEmptyText || value == false) continue;
    if (std::ranges::find(kMessageTexts, name) == std::end(kMessageTexts))
      RequestFields::refuse("messages", "may not have " + name.substr(0, 80) + ", which is not supported");
    if (const auto text = fields.find_text(name.c_str())) message[name] = *text;
  }
  return message;
}

json read_messages(const RequestFields& fields) {
  const json* given = fields.find("messages");
  if (given == nullptr || !given->is_array() || given->empty() || given->size() > kMostMessages)
    RequestFields::refuse("messages", "must be a list of 1 to " + std::to_string(kMostMessages) + " messages");
  json messages = json::array();
  for (const json& each : *given) messages.push_back(read_message(each));
  return messages;
}

json read_values(const RequestFields& fields) {
  const json* values = fields.find("chat_template_kwargs");
  if (values == nullptr) return json::object();
  if (!values->is_object()) RequestFields::refuse("chat_template_kwargs", "must be an object");
  for (const char* name : kReservedValues)
    if (values->contains(name)) RequestFields::refuse("chat_template_kwargs", std::string("may not have ") + name);
  return *values;
}

/// Renders the conversation up to the end of its last message, which the answer continues. A mark behind the message
/// shows where it ends. The mark ends in a blank: if that is gone, the template strips messages, and blanks at the end
/// of this one are stripped as well.
std::string left_open(const ChatRequest& request, const ServedModel& served) {
  constexpr std::string_view mark = "\xEE\x80\x80the answer continues here\xEE\x80\x80 ";
  json messages = request.messages;
  messages.back().at("content").get_ref<std::string&>() += mark;
  std::string text = served.render_chat(messages, false, request.values);
  const std::size_t end = text.rfind(mark.substr(0, mark.size() - 1));
  if (end == std::string::npos)
    RequestFields::refuse("continue_final_message", "can't be followed: the template leaves out the last message");
  const bool trims = !std::string_view(text).substr(end).starts_with(mark);
  text.resize(end);
  if (trims) text.resize(text.find_last_not_of(" \t\r\n") + 1);
  return text;
}

/// Tokens of the prompt from the last user's turn on; 0 where it can't be told from what stands before it.
std::int64_t question_tokens(const ChatRequest& request, const std::string& text, const std::vector<std::int32_t>& ids,
                             const ServedModel& served) {
  const json& messages = request.messages;
  std::size_t last = messages.size() - 1;
  while (last > 0 && messages[last].at("role") != "user") --last;
  if (last == 0) return 0;
  const json before(json::array_t(messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(last)));
  std::string document;
  try {
    document = served.render_chat(before, false, request.values);
  } catch (const EngineError& error) {
    if (error.fault() != Fault::BadInput) throw;
    return 0;  // the template takes no conversation without a question
  }
  if (!text.starts_with(document)) return 0;
  // Tokens may lie across its beginning: it begins with the first one that differs.
  const std::vector<std::int32_t> document_ids = served.encode(document);
  const std::int64_t length = ids.end() - std::ranges::mismatch(document_ids, ids).in2;
  return length <= served.config.segment_length ? length : 0;
}

json stream_choice(std::int64_t index, const json& delta, json logprobs, const char* finish_reason) {
  return {{"index", index},
          {"delta", delta},
          {"logprobs", std::move(logprobs)},
          {"finish_reason", finish_reason != nullptr ? json(finish_reason) : json()}};
}

/// Returns "logprobs" with `content`, which chat_logprobs() makes; null where they were not asked for.
json logprobs_json(const AnswerSettings& settings, json content) {
  if (!settings.logprobs) return nullptr;
  return {{"content", std::move(content)}, {"refusal", nullptr}};
}

/// Returns how many of the likeliest tokens "logprobs": true asks for.
std::optional<int> read_logprobs(const RequestFields& fields) {
  const auto top = fields.find_integer("top_logprobs", 0, kMostLogprobs);
  if (fields.flag("logprobs")) return static_cast<int>(top.value_or(0));
  if (top.value_or(0) > 0) RequestFields::refuse("top_logprobs", "is allowed with logprobs: true alone");
  return std::nullopt;
}

/// A chat's answer as it comes: into events, or into a whole message.
class ChatAnswer {
 public:
  /// `index` counts the answers to the request.
  ChatAnswer(const AnswerSettings& settings, std::int64_t index, const ServedModel& served, EventStream& stream)
      : settings_(settings), index_(index), served_(served), stream_(stream) {}

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
  void end(const char* finish_reason) {
    if (!begun_) send("", json::array());
    stream_.send(stream_choice(index_, json::object(), nullptr, finish_reason));
  }
  json choice(const char* finish_reason) {
    return {{"index", index_},
            {"message", {{"role", "assistant"}, {"content", std::exchange(text_, {})}}},
            {"logprobs", logprobs_json(settings_, std::exchange(logprobs_, json::array()))},
            {"finish_reason", finish_reason}};
  }

 private:
  void send(const std::string& text, json content) {
    json delta{{"content", text}};
    if (!std::exchange(begun_, true)) delta["role"] = "assistant";
    stream_.send(stream_choice(index_, delta, logprobs_json(settings_, std::move(content)), nullptr));
  }

  const AnswerSettings& settings_;
  const std::int64_t index_;
  const ServedModel& served_;
  EventStream& stream_;
  bool begun_ = false;
  std::string text_;
  json logprobs_ = json::array();
};

}  // namespace

ChatRequest parse_chat(std::string_view body, const ServedModel& served) {
  const RequestFields fields = endpoint_fields(body, kChat);
  ChatRequest request;
  request.settings = answer_settings(fields, served, kChatTokens);
  request.settings.logprobs = read_logprobs(fields);
  check_logprobs(request.settings, 1);
  request.messages = read_messages(fields);
  request.values = read_values(fields);
  request.continue_message = fields.flag("continue_final_message");
  request.begin_answer = fields.flag("add_generation_prompt", !request.continue_message);
  if (request.continue_message && request.begin_answer)
    RequestFields::refuse("continue_final_message", "is allowed without add_generation_prompt alone");
  return request;
}

Prompt chat_prompt(const ChatRequest& request, const ServedModel& served) {
  if (!served.render_chat)
    throw ApiError(400, "This model has no chat template: use /v1/completions.", "messages", "no_chat_template");
  const std::string text = request.continue_message
                               ? left_open(request, served)
                               : served.render_chat(request.messages, request.begin_answer, request.values);
  Prompt prompt{served.encode(text), 0};
  require_tokens(prompt, "messages");
  if (served.config.question_pass) prompt.question_length = question_tokens(request, text, prompt.ids, served);
  return prompt;
}

void chat(const ChatRequest& request, const std::string& id, const ServedModel& served, ServingEngine& engine,
          ReplyWriter& writer, Usage& usage, RunControl& control) {
  const bool streams = request.settings.stream;
  json envelope{{"id", id},
                {"object", streams ? "chat.completion.chunk" : "chat.completion"},
                {"created", static_cast<std::int64_t>(std::time(nullptr))},
                {"model", request.settings.model}};
  const Prompt prompt = chat_prompt(request, served);
  const FirstBlank blank = request.continue_message ? FirstBlank::Keep : FirstBlank::Drop;
  EventStream stream(writer, envelope, request.settings.stream_usage);
  json choices = json::array();
  for (std::int64_t index = 0; index < request.settings.n; ++index) {
    ChatAnswer whole(request.settings, index, served, stream);
    const auto emit = [&](const AnswerPart& part) { whole.add(part); };
    Answer answered;
    if (request.settings.max_tokens > 0)
      answered = answer(engine, served, request.settings, index, prompt, blank, emit, control);
    usage.add({index == 0 ? std::ssize(prompt.ids) : 0, answered.tokens});
    if (streams)
      whole.end(answered.finish_reason);
    else
      choices.push_back(whole.choice(answered.finish_reason));
  }
  if (streams) return stream.end(usage);
  envelope["choices"] = std::move(choices);
  envelope["usage"] = usage_json(usage);
  writer.reply({200, json_text(envelope)});
}

}  // namespace carryover
