// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/method/forward_map.h"
#include "engine/method/retrieving_policy.h"
#include "engine/runs/values/inspection.h"

namespace carryover {

/// Compares, while a segment runs, the tokens that its long heads read with those that they would attend to most if
/// they read everything that their search ranked (RetrievingPolicy::searched). That attention is the softmax of
/// unrotated q·k/√d over these entries, mean over the segment's queries. Borrows policy and state.
class PoolAttention {
 public:
  /// `state`: the policy's state at the segment's start; its hits name the heads to look at.
  PoolAttention(const RetrievingPolicy& policy, const PolicyState& state) : policy_(policy), state_(state) {}

  void see(const AttentionSight& sight);
  const std::vector<HeadRecall>& recall() const { return recall_; }

 private:
  const RetrievingPolicy& policy_;
  const PolicyState& state_;
  std::vector<HeadRecall> recall_;
};

}  // namespace carryover
