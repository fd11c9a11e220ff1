// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/serve/answer_parts.h"
#include "app/serve/request_fields.h"
#include "app/serve/served_model.h"
#include "app/serve/serving_engine.h"

namespace carryover {

inline constexpr std::size_t kMostStops = 16;
inline constexpr std::size_t kLongestStop = 1024;  ///< bytes
inline constexpr int kMostLogprobs = 20;           ///< likeliest tokens in each place
inline constexpr double kMostScores = 4e6;         ///< logprobs that are kept at a time
inline constexpr std::int64_t kMostAnswers = 16;   ///< the largest `n`
inline constexpr std::size_t kMostStopIds = 256;

/// The settings for decoding an answer: the fields that all kinds of requests share. A plain value.
struct AnswerSettings {
  std::string model;                            ///< as the request names it, or empty
  std::string policy;                           ///< the policy that `model` means
  std::int64_t max_tokens = 0, min_tokens = 0;  ///< no token that ends an answer is chosen before min_tokens
  std::int64_t n = 1;                           ///< answers to each prompt
  Sampling sampling;                            ///< its seed is that of the first answer
  std::vector<std::string> stops;
  std::vector<std::int32_t> stop_ids;  ///< they end an answer as the model's own end tokens do
  bool ignore_end = false;             ///< the model's own end tokens end no answer
  bool stream = false, stream_usage = false;
  std::optional<int> logprobs;  ///< likeliest tokens in each place; nothing: no logprobs at all
};

/// `max_tokens`: where the request has none. Without logprobs, of which each endpoint has its own fields. Throws
/// ApiError{400, 404}.
AnswerSettings answer_settings(const RequestFields& fields, const ServedModel& served, std::int64_t max_tokens);

/// Throws ApiError{400} where whole answers would have more logprobs than are kept at a time; a stream keeps none.
void check_logprobs(const AnswerSettings& settings, std::size_t prompts);

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
  std::int64_t tokens = 0;               ///< number of decoded tokens, with those in no part
  const char* finish_reason = "length";  ///< or "stop"
};

/// Decodes what comes behind a prompt up to a stop text or the end of text, whose token is one of the answer's (a
/// client that scores counts on one for each it asked for). `index` counts the answers to a request, each of which has
/// random numbers of its own. `emit` gets it in parts as it comes; its tokens have logprobs where the settings ask for
/// them. Throws as ServingEngine::generate(). The engine's thread.
Answer answer(ServingEngine& engine, const ServedModel& served, const AnswerSettings& settings, std::int64_t index,
              const Prompt& prompt, FirstBlank blank, const std::function<void(const AnswerPart&)>& emit,
              RunControl& control);

/// Throws ApiError{400} where a prompt has no tokens.
void require_tokens(const Prompt& prompt, const char* field);

std::string sse_text(const nlohmann::json& json);  ///< one event of a stream
inline constexpr const char* kSseType = "text/event-stream";
inline constexpr const char* kSseEnd = "data: [DONE]\n\n";

}  // namespace carryover
