// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/config/segment_config.h"
#include "engine/runs/values/hits.h"
#include "engine/runs/values/top_tokens.h"

namespace carryover {

struct Sampling {
  double temperature = 0;  ///< 0: greedy
  double top_p = 1;
  std::uint64_t seed = 0;
};

struct GenerateRequest {
  std::vector<std::int32_t> prompt;
  /// The number of last tokens of the prompt that are a question; 0: there is no question. The tokens before it are a
  /// document: its last segment closes where the question begins, however short it is, and the policy's prompt ends
  /// there. So the state there is that of Session::read_document, and is kept for the next question. The question
  /// begins a segment; with SegmentConfig::question_pass it has at most S tokens. The answer continues in the segment
  /// in which the question ends, and boundary_at_prompt_end has no effect.
  std::int64_t question_length = 0;
  std::int64_t max_new_tokens = 128;
  std::vector<std::int32_t> stop_ids;
  /// These ids are not chosen as one of the first `barred_tokens` tokens, however likely they are. logprobs are not
  /// changed by that.
  std::vector<std::int32_t> barred_ids;
  std::int64_t barred_tokens = 0;
  std::string policy = "segmented";
  SegmentConfig config;
  Sampling sampling;
  std::vector<HeadHits> forced_hits;  ///< read instead of searching, as in RunRequest
  /// true: the question reads nothing retrieved; the document before it was read as usual. A control.
  bool without_retrieval = false;
  /// The question reads what a shared search found for it, except these positions. A what-if.
  std::vector<TokenRange> question_without;
  std::vector<std::int32_t> answer;  ///< replaces the first tokens that would be chosen, to score these tokens
  bool logprobs = false;             ///< fill GenerateResult::logprobs, and GeneratedToken's
  std::int64_t top_logprobs = 0;     ///< with `logprobs`: number of likeliest tokens at each place, at most
                                     ///< kMostTopLogprobs
};
inline constexpr std::int64_t kMostTopLogprobs = 1000;

/// A generated token.
struct GeneratedToken {
  std::int32_t id = 0;
  float logprob = 0;  ///< ln p if it was asked for
  /// The likeliest tokens at its place, best first, always with the token itself; empty if not asked for.
  std::vector<TopToken> top;
};
using OnToken = std::function<bool(const GeneratedToken&)>;  ///< returns false to stop

struct GenerateResult {
  std::vector<std::int32_t> ids;
  std::vector<HeadHits> question_hits;  ///< hits that the question read, if it was run twice
  std::vector<float> logprobs;          ///< ln p of each of `ids`, if asked for
  double prompt_seconds = 0, decode_seconds = 0;
  double draft_seconds = 0;  ///< part of prompt_seconds: the question's first pass
  bool cancelled = false;
};

}  // namespace carryover
