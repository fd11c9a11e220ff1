// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/serve/request_fields.h"
#include "app/serve/served_model.h"
#include "app/serve/serving_engine.h"

namespace carryover {

inline constexpr std::size_t kMostStops = 16;
inline constexpr std::size_t kLongestStop = 1024;  ///< bytes

/// How an answer is to be decoded: the fields that all kinds of requests share. A plain value.
struct AnswerSettings {
  std::string model;   ///< as the request names it, or empty
  std::string policy;  ///< what that means
  std::int64_t max_tokens = 0;
  Sampling sampling;
  std::vector<std::string> stops;
  bool stream = false, stream_usage = false;
};

/// `max_tokens`: where the request has none. Throws ApiError{400, 404}.
AnswerSettings answer_settings(const RequestFields& fields, const ServedModel& served, std::int64_t max_tokens);

struct Usage {
  std::int64_t prompt_tokens = 0, generated_tokens = 0;
  void add(const Usage& other);
};
nlohmann::json usage_json(const Usage& usage);

struct Prompt {
  std::vector<std::int32_t> ids;
  std::int64_t question_length = 0;  ///< last tokens that are a question, as GenerateRequest's
};

struct Answer {
  GeneratedText generated;
  std::string text;
  bool at_stop_text = false;             ///< the text ends before one; the last ids spell it
  const char* finish_reason = "length";  ///< or "stop"
};

enum class FirstBlank { Keep, Drop };  ///< the one that SentencePiece puts before a text

/// Decodes what comes behind a prompt, in whole characters, up to a stop text or the end of text, whose token is among
/// the ids (a client that scores counts on one for each it asked for). `emit` gets the text as it comes; together its
/// pieces are Answer::text. Throws as ServingEngine::generate(). The engine's thread.
Answer answer(ServingEngine& engine, const ServedModel& served, const AnswerSettings& settings, const Prompt& prompt,
              std::optional<int> top, FirstBlank first, const std::function<void(const std::string&)>& emit,
              RunControl& control);

/// Throws ApiError{400} where a prompt has no tokens.
void require_tokens(const Prompt& prompt, const char* field);

std::string sse_text(const nlohmann::json& json);  ///< one event of a stream
inline constexpr const char* kSseType = "text/event-stream";
inline constexpr const char* kSseEnd = "data: [DONE]\n\n";

}  // namespace carryover
