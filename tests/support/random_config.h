// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <random>
#include <set>
#include <string_view>

#include "engine/config/segment_config.h"
#include "engine/policies/cca/cca_settings.h"
#include "engine/policies/infllm/infllm_settings.h"
#include "engine/policies/minference/minference_settings.h"
#include "engine/policies/nsa/nsa_settings.h"

namespace carryover::test {

/// Returns the sizes of a model that has no weights, for settings.
inline ModelConfig small_model() {
  ModelConfig model;
  model.layers = 5;
  model.heads = 4;
  model.kv_heads = 2;
  model.head_dim = 8;
  return model;
}

inline std::int64_t draw(std::mt19937& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

/// Returns each of 0..count-1 with the given probability, ascending.
inline std::vector<int> random_subset(std::mt19937& random, std::int64_t count, double probability) {
  std::vector<int> members;
  for (int i = 0; i < count; ++i) {
    if (std::bernoulli_distribution(probability)(random)) members.push_back(i);
  }
  return members;
}

/// One head list for all layers, or one per layer. Layers with a window can't be long-range.
inline Grouping random_grouping(std::mt19937& random, const ModelConfig& model) {
  std::vector<std::vector<int>> heads(draw(random, 0, 1) == 0 ? 1 : static_cast<std::size_t>(model.layers));
  for (auto& list : heads) list = random_subset(random, model.heads, 0.4);
  std::vector<int> layers = random_subset(random, model.layers, 0.4);
  std::erase_if(layers, [&](int layer) { return model.is_windowed(layer); });
  return Grouping(layers, heads);
}

inline PoolKeys random_pool_keys(std::mt19937& random) {
  return static_cast<PoolKeys>(draw(random, 0, 2));
}

/// Other readers and searches than the paper's.
inline void vary_search(std::mt19937& random, SegmentConfig& config, const ModelConfig& model) {
  config.local_reads = static_cast<PrefixParts>(draw(random, 0, std::ssize(kPrefixPartsNames) - 1));
  config.long_reads = static_cast<PrefixParts>(draw(random, 0, std::ssize(kPrefixPartsNames) - 1));
  config.search = static_cast<SearchBy>(draw(random, 0, std::ssize(kSearchByNames) - 1));
  config.search_scores = static_cast<SearchScores>(draw(random, 0, 1));
  config.retrieve = static_cast<RetrieveBy>(draw(random, 0, 1));
  config.window_length = draw(random, 1, std::clamp<std::int64_t>(config.retrieval_length, 1, 16));
  std::set<HeadRef> searchers;
  for (std::int64_t left = draw(random, 1, 3); left > 0; --left)
    searchers.insert(
        {static_cast<int>(draw(random, 0, model.layers - 1)), static_cast<int>(draw(random, 0, model.heads - 1))});
  std::erase_if(searchers, [&](HeadRef head) { return model.is_windowed(head.layer); });
  if (searchers.empty()) searchers.insert({model.global_layers().front(), 0});
  config.search_heads.assign(searchers.begin(), searchers.end());
}

/// Returns true if a head reads a part ("sinks", "retrieved", "carry"), by the names of its kind's parts.
inline bool reads_part(const SegmentConfig& config, int layer, int head, std::string_view part) {
  const bool is_long = config.grouping.is_long(layer, head);
  const auto place = static_cast<std::size_t>(is_long ? config.long_reads : config.local_reads);
  if (kPrefixPartsNames[place].find(part) == std::string_view::npos) return false;
  return part != "retrieved" || (config.grouping.is_long_layer(layer) && config.retrieval_length > 0);
}

/// Returns true if a search leaves the carried positions out: the head's own, or the shared one.
inline bool skips_carry(const SegmentConfig& config, const ModelConfig& model, int layer, int head) {
  const auto both = [&](int l, int h) {
    return reads_part(config, l, h, "retrieved") && reads_part(config, l, h, "carry");
  };
  if (config.search != SearchBy::Shared) return both(layer, head);
  for (int l = 0; l < model.layers; ++l)
    for (int h = 0; h < model.heads; ++h)
      if (both(l, h)) return true;
  return false;
}

/// Returns the number of positions before a segment that begins at `first` which a head sees.
inline std::int64_t seen_before(const SegmentConfig& config, const ModelConfig& model, int layer, int head,
                                std::int64_t first) {
  const std::int64_t sinks = first > 0 ? config.sink_length : 0, carried = std::min(config.carry_length, first);
  const std::int64_t searched = first - sinks - (skips_carry(config, model, layer, head) ? carried : 0);
  std::int64_t seen = reads_part(config, layer, head, "sinks") ? sinks : 0;
  if (reads_part(config, layer, head, "carry")) seen += carried;
  if (reads_part(config, layer, head, "retrieved"))
    seen += std::min(config.retrieval_length, std::max<std::int64_t>(0, searched));
  return seen;
}

/// Returns patterns of some heads of the first layers, with sizes from one end of their range to the other.
inline HeadPatterns random_head_patterns(std::mt19937& random, const ModelConfig& model) {
  HeadPatterns patterns;
  patterns.layers.resize(static_cast<std::size_t>(draw(random, 0, model.layers)));
  const auto size = [&] { return draw(random, 0, 9) == 0 ? draw(random, 1, 2'147'483'647) : draw(random, 1, 20'000); };
  for (auto& heads : patterns.layers)
    for (const int head : random_subset(random, model.heads, 0.5)) {
      HeadPattern& pattern = heads[head];
      pattern.kind = static_cast<PatternKind>(draw(random, 0, 2));
      pattern.vertical = size();
      pattern.slash = size();
      pattern.score = std::uniform_real_distribution<double>(-1, 1)(random);
    }
  return patterns;
}

/// Returns a valid config with every field away from its default now and then.
inline SegmentConfig random_segment_config(std::mt19937& random, const ModelConfig& model) {
  SegmentConfig config;
  config.segment_length = draw(random, 1, 300);
  config.carry_length = draw(random, 0, config.segment_length);
  config.retrieval_length = draw(random, 0, 400);
  if (draw(random, 0, 1) == 0) config.sink_length = draw(random, 0, config.segment_length - config.carry_length);
  config.truncation_depth = draw(random, 0, 4);
  config.grouping = random_grouping(random, model);
  config.query_length = draw(random, 1, 80);
  config.summary_window = draw(random, 1, 12);
  config.summary_stride = draw(random, 1, 6);
  config.summary_tail = draw(random, 1, 8);
  config.top_k = draw(random, 1, 20);
  if (draw(random, 0, 1) == 0) config.anchors = draw(random, 1, 30);
  config.expand_before = draw(random, 0, 6);
  config.expand_after = draw(random, 0, 6);
  config.bos = draw(random, 0, 1) == 0;
  config.cross_boundary_target = draw(random, 0, 1) == 0;
  config.boundary_at_prompt_end = draw(random, 0, 1) == 0;
  config.question_pass = !config.boundary_at_prompt_end && draw(random, 0, 1) == 0;
  config.pool_on_host = draw(random, 0, 1) == 0;
  if (draw(random, 0, 2) == 0) {
    config.rope = RopeConfig{static_cast<RopeConfig::Kind>(draw(random, 0, 3)),
                             0.1 * static_cast<double>(draw(random, 10, 1000000)),
                             1.0 / 3 + static_cast<double>(draw(random, 1, 16)),
                             1.0,
                             4.0,
                             draw(random, 0, 8192)};
  }
  config.pool_keys = random_pool_keys(random);
  std::mt19937 apart = random;  // so that a field more leaves the others as they were drawn
  if (draw(apart, 0, 2) == 0) config.of<MinferenceSettings>().head_patterns = random_head_patterns(apart, model);
  config.of<InfLlmSettings>().memory_blocks = draw(apart, 1, 3);
  config.of<InfLlmSettings>().memory_block_length = draw(apart, 2, 6);
  config.of<InfLlmSettings>().memory_representatives = draw(apart, 1, config.of<InfLlmSettings>().memory_block_length);
  config.of<CcaSettings>().core_group_length = draw(apart, 1, 9);
  config.of<NsaSettings>().selected_block_length = draw(apart, 1, 9);
  config.of<NsaSettings>().selected_blocks = draw(apart, 1, 5);
  return config;
}

}  // namespace carryover::test
