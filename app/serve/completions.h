// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/serve/answer.h"
#include "app/serve/reply_writer.h"
#include "app/serve/state_store.h"

namespace carryover {

inline constexpr std::size_t kMostPrompts = 1024;

struct CompletionPrompt {
  std::optional<std::string> text;
  std::vector<std::int32_t> ids;  ///< used where there is no text
};

/// The body of POST /v1/completions. A plain value.
struct CompletionRequest {
  AnswerSettings settings;
  std::vector<CompletionPrompt> prompts;
  std::string question;  ///< of ours: behind each prompt, which then is a document of its own
  std::string state;     ///< of ours: the name of a document that was read; the prompts are questions about it
  bool echo = false;
};

/// Throws ApiError{400, 404}. Any thread.
CompletionRequest parse_completion(std::string_view body, const ServedModel& served, const StateStore& states);

/// Answers it, one answer after another. Each answer adds its tokens to `usage`, and the first one its prompt's. Throws
/// ApiError and EngineError. The engine's thread.
void complete(const CompletionRequest& request, const std::string& id, const ServedModel& served,
              const StateStore& states, ServingEngine& engine, ReplyWriter& writer, Usage& usage, RunControl& control);

}  // namespace carryover
