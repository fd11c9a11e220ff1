// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "app/serve/answer.h"
#include "app/serve/reply_writer.h"

namespace carryover {

inline constexpr std::size_t kMostMessages = 10000;

/// The body of POST /v1/chat/completions. A plain value.
struct ChatRequest {
  AnswerSettings settings;
  nlohmann::json messages;                             ///< a list of {"role", "content"}, and other texts by name
  nlohmann::json values = nlohmann::json::object();    ///< for the template
  bool begin_answer = true, continue_message = false;  ///< the answer begins, or the last message goes on
};

/// Throws ApiError{400, 404}. Any thread.
ChatRequest parse_chat(std::string_view body, const ServedModel& served);

/// The messages by the model's template. With a question pass, the last user's turn is the question where it fits one
/// segment. Throws ApiError{400}.
Prompt chat_prompt(const ChatRequest& request, const ServedModel& served);

/// Answers it. Throws ApiError and EngineError. The engine's thread.
void chat(const ChatRequest& request, const std::string& id, const ServedModel& served, ServingEngine& engine,
          ReplyWriter& writer, Usage& usage, RunControl& control);

}  // namespace carryover
