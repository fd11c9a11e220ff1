// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "engine/method/attention_policy.h"

namespace carryover {

/// Attention of a model's windowed layers, which is the same under every policy. A query sees the last W keys, its own
/// included, so the last W − 1 keys and values before a segment are all that the segment needs of the past. They are
/// carried in CarriedState::windows, over several segments where these are shorter, and make attention exact. No policy
/// sees these layers: for them the forward map asks this class. Owner: a ForwardContext. Thread: engine.
class WindowLayers final : public LayerAttention {
 public:
  /// Borrows both. The policy says only which positions segments have in RoPE.
  WindowLayers(const ModelConfig& model, const AttentionPolicy& policy) : model_(model), policy_(policy) {}

  std::vector<HeadGroup> context(const PolicyState& state, int layer, Rope& rope) const override;
  /// Keeps copies of the segment's last W − 1 keys and values as the trace's carry, so that the rest can be freed.
  LayerTrace trace(int layer, const LayerKv& kv) const override;

 private:
  const ModelConfig& model_;
  const AttentionPolicy& policy_;
};

/// Moves the carries of windowed layers out of a closed segment's traces, [L], and appends them to those of `carry`.
/// Differentiable in both.
void close_windows(CarriedState& carry, std::vector<LayerTrace>& traces, const ModelConfig& model);

/// Names the windows of a state for runs/state_file.h, beside the fields of its policy.
void name_windows(PolicyState& state, StateFields& fields, const ModelConfig& model, at::TensorOptions options);

}  // namespace carryover
