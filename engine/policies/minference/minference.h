// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/config/head_patterns.h"
#include "engine/policies/full/full.h"

namespace carryover {

/// MInference (Jiang et al., 2024): full attention's cache, of which each head sees the keys that its pattern selects.
/// Columns and diagonals are estimated again for each chunk, from its last 64 queries; the official code has one chunk,
/// the prompt. As in that code, a decoded token sees everything. A head with an A-shape sees the text's first tokens
/// and a window.
class MinferencePolicy final : public FullPolicy {
 public:
  MinferencePolicy(HeadPatterns patterns, const ModelConfig& model, at::TensorOptions options,
                   std::int64_t expected_tokens)
      : FullPolicy(model, options, expected_tokens), patterns_(std::move(patterns)) {}

  std::string name() const override { return "minference"; }
  bool selects() const override { return true; }

 protected:
  std::vector<HeadGroup> complete(const FullState& state, std::vector<HeadGroup> groups,
                                  const ChunkQueries& chunk) const override;

 private:
  std::vector<HeadGroup> a_shapes(const HeadGroup& all, int layer) const;

  HeadPatterns patterns_;
};

}  // namespace carryover
