// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/config/segment_config.h"
#include "engine/method/attention_policy.h"

namespace carryover {

/// The reference: every head sees the whole past. Segments are merely chunks of the computation; positions are
/// absolute, and the cache holds rotated keys of all layers.
class FullPolicy final : public AttentionPolicy {
 public:
  FullPolicy(const ModelConfig& model, at::TensorOptions options, std::int64_t expected_tokens)
      : model_(model), options_(options), expected_tokens_(expected_tokens) {}

  std::string name() const override { return "full"; }
  std::unique_ptr<PolicyState> init_state() const override;
  std::int64_t first_position(const SegmentFrame& frame) const override { return frame.first_token; }
  std::vector<HeadGroup> context(const PolicyState& state, int layer, Rope& rope) const override;
  LayerTrace trace(int layer, const LayerKv& kv) const override;
  void commit(PolicyState& state, std::vector<LayerTrace> traces, std::int64_t m) const override;

 private:
  ModelConfig model_;
  at::TensorOptions options_;
  std::int64_t expected_tokens_;
};

}  // namespace carryover
