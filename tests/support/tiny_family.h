// SPDX-License-Identifier: GPL-3.0-or-later
// Tiny models of a family, by the facts of its row.
#pragma once
#include <cmath>
#include <vector>

#include "engine/families/family.h"
#include "tests/support/tiny_model.h"

namespace carryover::test {

/// For heads of which 6 dimensions are rotated, and a context of 2048 tokens. The original context is shorter than any
/// text of tests, so that a text's parts are read with the factors of the whole.
inline RopeConfig longrope() {
  return {.kind = RopeConfig::Kind::Longrope,
          .factor = 256,
          .original_context = 8,
          .attention_factor = 1.25,
          .short_factors = {1, 1.5, 2},
          .long_factors = {1, 8, 32}};
}

inline ModelConfig tiny_of(const Family& family) {
  ModelConfig model = tiny_config(3, 4, 2, 8, 96);
  model.architecture = family.name;
  if (family.default_head_dim != 0) model.hidden += 8;  // the width says nothing of the heads
  if (family.window == SlidingWindowRule::Patterned) {  // as every published model of such a family
    model.window = 12;
    model.window_layers = {0, 2};
    if (family.default_window_theta != 0) model.window_rope = RopeConfig{.theta = 700};
  }
  if (family.default_score_cap != 0) {  // scores and logits of a tiny model are near one
    model.score_cap = 1.5;
    model.logit_cap = 2;
  }
  if (family.scaled_embedding) model.embedding_scale = std::sqrt(static_cast<double>(model.hidden));
  if (family.multipliers) {
    model.embedding_scale = 12;
    model.query_scale = 0.25 * std::sqrt(static_cast<double>(model.head_dim));
    model.residual_scale = 0.25;
    model.logit_divisor = 8;
  }
  if (family.unrotated_pattern > 0) model.unrotated_layers = {1};
  if (family.partial_rotary) model.rotated_dims = 6;
  if (family.projections == StoredProjections::FusedByHead) model.kv_heads = model.heads;
  if (family.parallel_key) model.parallel_blocks = true;
  if (family.name == "phi3") model.rope = longrope();
  if (family.name == "olmo3") model.rope = {.kind = RopeConfig::Kind::Yarn, .factor = 4, .original_context = 64};
  return model;
}

/// The same with a window of 12 tokens: in the first and the last layer of three, or in all where the family has no
/// other.
inline ModelConfig windowed_of(const Family& family) {
  ModelConfig model = tiny_of(family);
  model.window = 12;
  model.window_layers = family.window_by_layer() ? std::vector<int>{0, 2} : std::vector<int>{0, 1, 2};
  return model;
}

/// The same without a window in any layer.
inline ModelConfig global_of(const Family& family) {
  ModelConfig model = tiny_of(family);
  model.window = 0;
  model.window_layers.clear();
  model.window_rope.reset();
  return model;
}

/// Returns a model of each family, and a second one with windows, or with blocks in sequence, of each family that may
/// have such.
inline const std::vector<ModelConfig>& tiny_models() {
  static const std::vector<ModelConfig> models = [] {
    std::vector<ModelConfig> all;
    for (const Family& family : families()) {
      all.push_back(global_of(family));
      if (family.window != SlidingWindowRule::Ignored) all.push_back(windowed_of(family));
      if (family.parallel_key) all.push_back(global_of(family)), all.back().parallel_blocks = false;
    }
    return all;
  }();
  return models;
}

}  // namespace carryover::test
