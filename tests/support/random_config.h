// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <random>

#include "engine/core/config/segment_config.h"

namespace carryover::test {

inline std::int64_t draw(std::mt19937& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

/// Each of 0..count-1 with the given probability, ascending.
inline std::vector<int> random_subset(std::mt19937& random, std::int64_t count, double probability) {
  std::vector<int> members;
  for (int i = 0; i < count; ++i) {
    if (std::bernoulli_distribution(probability)(random)) members.push_back(i);
  }
  return members;
}

/// One head list for all layers, or one per layer.
inline Grouping random_grouping(std::mt19937& random, const ModelConfig& model) {
  std::vector<std::vector<int>> heads(draw(random, 0, 1) == 0 ? 1 : static_cast<std::size_t>(model.layers));
  for (auto& list : heads) list = random_subset(random, model.heads, 0.4);
  return Grouping(random_subset(random, model.layers, 0.4), heads);
}

inline PoolKeys random_pool_keys(std::mt19937& random) {
  return kPoolKeys[static_cast<std::size_t>(draw(random, 0, 2))];
}

/// A valid config with every field away from its default now and then.
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
  return config;
}

}  // namespace carryover::test
