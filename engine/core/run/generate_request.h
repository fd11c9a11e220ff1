// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/core/config/segment_config.h"
#include "engine/core/run/hits.h"
#include "engine/core/run/top_tokens.h"

namespace carryover {

struct Sampling {
  double temperature = 0;  ///< 0: greedy
  double top_p = 1;
  std::uint64_t seed = 0;
};

struct GenerateRequest {
  std::vector<std::int32_t> prompt;
  /// Last tokens of the prompt that are a question; 0: there is none. What stands before it is a document: its last
  /// segment closes where the question begins, however short, and the policy's prompt ends there. So the state there is
  /// that of Session::read_document, and is kept for the next question. The question begins a segment, at most S tokens
  /// with SegmentConfig::question_pass, and the answer goes on in the one that it ends in; boundary_at_prompt_end then
  /// has no effect.
  std::int64_t question_length = 0;
  std::int64_t max_new_tokens = 128;
  std::vector<std::int32_t> stop_ids;
  /// Not chosen as one of the first `barred_tokens` tokens, however likely; logprobs are those without it.
  std::vector<std::int32_t> barred_ids;
  std::int64_t barred_tokens = 0;
  std::string policy = "segmented";
  SegmentConfig config;
  Sampling sampling;
  std::vector<HeadHits> forced_hits;  ///< read instead of searching, as RunRequest's
  /// The question reads nothing retrieved; what stands before it was read as ever. A control.
  bool without_retrieval = false;
  /// What a shared search found for the question is read but for these positions. A what-if.
  std::vector<TokenRange> question_without;
  std::vector<std::int32_t> answer;  ///< taken in place of the first tokens that would be chosen, to score them
  bool logprobs = false;             ///< fill GenerateResult::logprobs, and GeneratedToken's
  std::int64_t top_logprobs = 0;     ///< with `logprobs`: likeliest tokens in each place, at most kMostTopLogprobs
};
inline constexpr std::int64_t kMostTopLogprobs = 1000;

/// A token as it is decoded.
struct GeneratedToken {
  std::int32_t id = 0;
  float logprob = 0;  ///< ln p, where asked for
  /// The likeliest in its place, best first, itself always among them; empty: not asked for.
  std::vector<TopToken> top;
};
using OnToken = std::function<bool(const GeneratedToken&)>;  ///< returns false to stop

struct GenerateResult {
  std::vector<std::int32_t> ids;
  std::vector<HeadHits> question_hits;  ///< what the question read, where it was run twice
  std::vector<float> logprobs;          ///< ln p of each of `ids`, where asked for
  double prompt_seconds = 0, decode_seconds = 0;
  double draft_seconds = 0;  ///< of the prompt's: the question's first pass
  bool cancelled = false;
};

}  // namespace carryover
