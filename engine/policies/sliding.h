// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/config/segment_config.h"
#include "engine/method/attention_policy.h"

namespace carryover {

/// The last M tokens of all segments so far are its carry.
struct SlidingState final : PolicyState {
  std::unique_ptr<PolicyState> clone() const override { return std::make_unique<SlidingState>(*this); }
};

/// A sliding window: every head of every layer sees its segment and the M tokens before it, however short the segments
/// were. Nothing is retrieved; the grouping and the sinks do not matter. Positions start anew in each segment.
class SlidingPolicy final : public PolicyOf<SlidingState> {
 public:
  SlidingPolicy(const SegmentConfig& config, const ModelConfig& model);

  std::string name() const override { return "sliding"; }
  std::unique_ptr<PolicyState> init_state() const override;
  std::int64_t first_position(const SegmentFrame&) const override { return 0; }
  LayerTrace trace(int layer, const LayerKv& kv) const override;

 protected:
  std::vector<HeadGroup> read(const SlidingState& state, int layer, Rope& rope) const override;
  void close(SlidingState& state, std::vector<LayerTrace> traces, std::int64_t m) const override;

 private:
  SegmentConfig config_;  ///< with all heads local
  ModelConfig model_;
};

}  // namespace carryover
