// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/config/segment_config.h"
#include "engine/method/attention_policy.h"
#include "engine/policies/kv_cache.h"

namespace carryover {

/// Holds the cache of all keys and values; keys are rotated.
struct FullState final : PolicyState {
  std::vector<GrowingCache> layers;  ///< [L]

  std::int64_t pool_entries() const override { return layers.front().entries(); }
  std::vector<at::Tensor> pool_contents() const override;
  std::unique_ptr<PolicyState> clone() const override;
};

/// Full attention, the reference: every head sees the whole past. Segments are only chunks of the computation;
/// positions are absolute, and the cache holds rotated keys of all layers.
class FullPolicy : public PolicyOf<FullState> {
 public:
  FullPolicy(const ModelConfig& model, at::TensorOptions options, std::int64_t expected_tokens)
      : model_(model), options_(options), expected_tokens_(expected_tokens) {}

  std::string name() const override { return "full"; }
  std::unique_ptr<PolicyState> init_state() const override;
  std::int64_t first_position(const SegmentFrame& frame) const override { return frame.first_token; }
  LayerTrace trace(int layer, const LayerKv& kv) const override;

 protected:
  std::vector<HeadGroup> read(const FullState& state, int layer, Rope& rope) const override;
  void take(FullState& state, std::size_t layer, const LayerTrace& trace, std::int64_t m) const override;
  void name_fields(FullState& state, StateFields& fields) const override;

  ModelConfig model_;

 private:
  at::TensorOptions options_;
  std::int64_t expected_tokens_;
};

}  // namespace carryover
