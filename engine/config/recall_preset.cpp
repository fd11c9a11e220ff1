// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/config/recall_preset.h"

#include <algorithm>
#include <numeric>

namespace carryover {

namespace {

constexpr std::int64_t kSegment = 512, kPrefix = 128;  ///< M + n and R for which the preset was measured

std::vector<int> all_of(std::int64_t count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

std::optional<std::vector<HeadRef>> known_search_heads(const ModelConfig& model) {
  const bool is_default =
      model.layers == 30 && model.heads == 9 && model.kv_heads == 3 && model.hidden == 576 && model.vocabulary == 49152;
  if (!is_default) return std::nullopt;
  return std::vector<HeadRef>{{8, 0}, {15, 6}, {18, 8}};
}

Grouping all_readers(const ModelConfig& model) {
  return {model.global_layers(), {all_of(model.heads)}};
}

SegmentConfig recall_preset(const ModelConfig& model, SegmentConfig config) {
  config.sink_length = kSinkTokens;
  config.segment_length = std::max<std::int64_t>(kSinkTokens + 1, std::min(kSegment, model.context / 4));
  config.retrieval_length = std::min(kPrefix, config.segment_length / 2);
  config.carry_length = std::max<std::int64_t>(0, config.retrieval_length - kSinkTokens);
  config.grouping = all_readers(model);
  config.long_reads = PrefixParts::SinksRetrievedCarry;
  config.search = SearchBy::Shared;
  config.search_scores = SearchScores::Centred;
  config.retrieve = RetrieveBy::Windows;
  config.window_length = std::clamp<std::int64_t>(config.retrieval_length, 1, 16);
  config.boundary_at_prompt_end = false;
  config.question_pass = true;
  if (auto heads = known_search_heads(model)) config.search_heads = std::move(*heads);
  return config;
}

}  // namespace carryover
