// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/method/attention_policy.h"
#include "engine/method/retriever.h"

namespace carryover {

/// The paper's policy (sec:consistency, app:attention): local heads see the carry, long heads of long layers a
/// retrieved prefix, other long heads their segment alone. Sinks, where the configuration has them, lead the prefix of
/// every head from the second segment on. Positions start anew in each segment.
class SegmentedPolicy final : public AttentionPolicy {
 public:
  SegmentedPolicy(const SegmentConfig& config, const ModelConfig& model, at::TensorOptions options,
                  std::int64_t expected_tokens, const std::vector<HeadHits>& forced_hits,
                  std::vector<TokenRange> banned);

  std::string name() const override { return "segmented"; }
  std::unique_ptr<PolicyState> init_state() const override;
  std::int64_t first_position(const SegmentFrame&) const override { return 0; }
  std::vector<HeadGroup> context(const PolicyState& state, int layer, Rope& rope) const override;
  LayerTrace trace(int layer, const LayerKv& kv) const override;
  void commit(PolicyState& state, std::vector<LayerTrace> traces, std::int64_t m) const override;

  const RetrievalPool& pool(const PolicyState& state) const;

  /// Puts these hits in the place of what `state`, one of this policy's, retrieved. Throws as Retriever::gather().
  void read_instead(PolicyState& state, std::vector<HeadHits> hits) const;

 private:
  SegmentConfig config_;
  ModelConfig model_;
  at::TensorOptions options_;
  std::int64_t expected_tokens_;
  Retriever retriever_;
};

}  // namespace carryover
