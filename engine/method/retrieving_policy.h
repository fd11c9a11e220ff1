// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/config/segment_config.h"
#include "engine/method/attention_policy.h"
#include "engine/method/position_scores.h"

namespace carryover {

class RetrievalPool;

/// The search of a policy that retrieves positions from a pool, for others to look at (AttentionPolicy::retrieving).
/// `state` is always a state of that policy. Thread: engine.
class RetrievingPolicy {
 public:
  virtual ~RetrievingPolicy() = default;

  virtual const RetrievalPool& pool(const PolicyState& state) const = 0;
  /// Returns the entries of pool() that the search for a list of `state.hits` ranked (Retriever::searched).
  virtual SearchedEntries searched(const PolicyState& state, const HeadHits& list) const = 0;

  /// Returns a copy of `state` in which these hits replace what it retrieved. Throws as Retriever::gather() does.
  virtual std::unique_ptr<PolicyState> with_hits(const PolicyState& state, std::vector<HeadHits> hits) const = 0;

  /// Visits the scores of each searcher (Retriever::visit_searchers) for the next segment, with the queries of a
  /// draft's traces.
  virtual SearchedEntries visit_searchers(
      const PolicyState& state, const std::vector<LayerTrace>& traces,
      const std::function<void(HeadRef head, std::span<const double> scores)>& visit) const = 0;

  /// Returns a state with what the next segment reads from `state`. `state` is of a policy with the configuration
  /// `from`, which differs from this one's only in its grouping and whose readers include this policy's. Serves to look
  /// at that segment: the new state has no pool.
  virtual std::unique_ptr<PolicyState> narrowed(const SegmentConfig& from, const PolicyState& state) const = 0;
};

}  // namespace carryover
