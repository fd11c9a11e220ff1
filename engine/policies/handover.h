// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/method/attention_policy.h"

namespace carryover {

/// Two states at the same segment, one for each of two policies.
struct HandoverState final : PolicyState {
  HandoverState(std::unique_ptr<PolicyState> as_it_was, std::unique_ptr<PolicyState> edited);
  std::unique_ptr<PolicyState> clone() const override;

  std::unique_ptr<PolicyState> as_it_was, edited;
};

/// Runs a segment under one policy and leaves what another would: attention follows `as_it_was`, while both policies
/// keep their own state. So the next segment can start from what `edited` would have carried and retrieved. Borrows
/// both policies.
class HandoverPolicy final : public PolicyOf<HandoverState> {
 public:
  HandoverPolicy(const AttentionPolicy& as_it_was, const AttentionPolicy& edited)
      : as_it_was_(as_it_was), edited_(edited) {}

  std::string name() const override { return as_it_was_.name(); }
  std::unique_ptr<PolicyState> init_state() const override;
  std::int64_t first_position(const SegmentFrame& frame) const override { return as_it_was_.first_position(frame); }
  bool selects() const override { return as_it_was_.selects(); }
  bool weighs_keys() const override { return as_it_was_.weighs_keys() || edited_.weighs_keys(); }
  std::int64_t pooled_group() const override { return as_it_was_.pooled_group(); }
  bool gated() const override { return as_it_was_.gated(); }
  LayerTrace trace(int layer, const LayerKv& kv) const override;

  /// Returns the state of `edited` out of a state of this policy, which is destroyed.
  static std::unique_ptr<PolicyState> take_edited(std::unique_ptr<PolicyState> state);

 protected:
  std::vector<HeadGroup> read(const HandoverState& state, int layer, Rope& rope) const override;
  std::vector<HeadGroup> complete(const HandoverState& state, std::vector<HeadGroup> groups,
                                  const ChunkQueries& queries) const override;
  void close(HandoverState& state, std::vector<LayerTrace> traces, std::int64_t m) const override;

 private:
  const AttentionPolicy &as_it_was_, &edited_;
};

}  // namespace carryover
