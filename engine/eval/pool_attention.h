// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/run/inspection.h"
#include "engine/method/forward_map.h"
#include "engine/method/retrieval_pool.h"

namespace carryover {

/// Looks on while a segment runs and compares what its long heads read with what they would attend to most, had they
/// the whole pool: softmax of unrotated q·k/√d over its entries behind the sinks, mean over the segment's queries.
/// Borrows the pool.
class PoolAttention {
 public:
  /// `hits`: what the segment reads, by layer and head; the heads to look at.
  PoolAttention(const RetrievalPool& pool, const std::vector<HeadHits>& hits) : pool_(pool), hits_(hits) {}

  void see(const AttentionSight& sight);
  const std::vector<HeadRecall>& recall() const { return recall_; }

 private:
  const RetrievalPool& pool_;
  const std::vector<HeadHits>& hits_;
  std::vector<HeadRecall> recall_;
};

}  // namespace carryover
