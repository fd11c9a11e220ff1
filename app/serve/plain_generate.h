// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "app/serve/answer.h"
#include "app/serve/reply_writer.h"

namespace carryover {

/// The body of PUT /generate, vLLM's old form, which RULER's client sends. A plain value.
struct PlainRequest {
  AnswerSettings settings;
  std::vector<std::string> prompts;
};

/// Throws ApiError{400, 404}. Any thread.
PlainRequest parse_plain(std::string_view body, const ServedModel& served);

/// Answers {"text": [`n` for each prompt]}, without the prompts. Throws ApiError and EngineError. The engine's thread.
void generate_plain(const PlainRequest& request, const ServedModel& served, ServingEngine& engine, ReplyWriter& writer,
                    Usage& usage, RunControl& control);

}  // namespace carryover
