// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/method/attention_policy.h"

namespace carryover {

/// Runs a segment as one policy sees it and leaves it as another would: attention follows `as_it_was`, while both keep
/// what they keep. So the next segment can start from what `edited` would have carried and retrieved. Borrows both.
class HandoverPolicy final : public AttentionPolicy {
 public:
  HandoverPolicy(const AttentionPolicy& as_it_was, const AttentionPolicy& edited)
      : as_it_was_(as_it_was), edited_(edited) {}

  std::string name() const override { return as_it_was_.name(); }
  std::unique_ptr<PolicyState> init_state() const override;
  std::int64_t first_position(const SegmentFrame& frame) const override { return as_it_was_.first_position(frame); }
  std::vector<HeadGroup> context(const PolicyState& state, int layer, Rope& rope) const override;
  LayerTrace trace(int layer, const LayerKv& kv) const override;
  void commit(PolicyState& state, std::vector<LayerTrace> traces, std::int64_t m) const override;

  /// A state in which both go on from their own. They stand at the same segment.
  static std::unique_ptr<PolicyState> join(std::unique_ptr<PolicyState> as_it_was, std::unique_ptr<PolicyState> edited);
  /// What `edited` has of a state of this policy, which keeps none.
  static std::unique_ptr<PolicyState> take_edited(PolicyState& state);

 private:
  const AttentionPolicy &as_it_was_, &edited_;
  mutable std::vector<LayerTrace> edited_traces_;  ///< of the open segment: trace() has room for one alone
};

}  // namespace carryover
