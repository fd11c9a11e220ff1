// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/config/head_ref.h"
#include "widgets/runs/state/hit_grid.h"
#include "widgets/runs/state/run_model.h"
#include "widgets/runs/state/segment_range.h"

namespace carryover {

/// Hits that two runs share: sizes of the intersection and the union of two sets of (layer, head, position).
struct Overlap {
  std::int64_t both = 0, either = 0;

  void add(const Overlap& other);
  std::optional<double> jaccard() const;  ///< nothing where neither retrieved
};

/// Loss of A minus loss of B, over targets that both predict.
struct LossChange {
  std::int64_t targets = 0;
  double a = 0, b = 0;  ///< nats, summed

  void add(const LossChange& other);
  std::optional<double> mean() const;  ///< nats a target; negative: A predicts better
};

/// Run A beside run B. What is compared is what both have: a token is common where both texts have it at the same
/// place (a BOS that one run has and the other hasn't is allowed for); a segment is paired with the one that starts at
/// the same token, as the pool it reads is then the same text; a head is compared where both runs retrieve with it.
/// Positions and segments are A's. Padding is no evidence and is left out. A may still grow. Owns nothing; GUI thread.
class RunComparison {
 public:
  RunComparison(const RunModel& a, const RunModel& b);

  const RunModel& a() const { return a_; }
  const RunModel& b() const { return b_; }

  bool same_vocabulary() const { return same_vocabulary_; }  ///< of sizes; else no token is common
  std::int64_t common_tokens() const { return common_; }
  std::int64_t first_difference() const { return first_difference_; }  ///< -1: none, as far as both go
  bool is_common(std::int64_t position) const;

  /// Returns the loss change of predicting the token at `position`; NaN if it is not common or either run has no loss
  /// there (yet).
  float loss_change(std::int64_t position) const;
  const LossChange& segment_loss_change(int segment) const;
  LossChange total_loss_change(const SegmentRange& range = {}) const;

  int paired_segment(int segment) const;  ///< B's; -1 where none starts there, or the vocabularies differ
  BriefHits hits_of_b(int segment, int layer, int head) const;  ///< by A's segment, at B's positions
  Overlap overlap(int segment, int layer, int head) const;      ///< nothing where not both retrieve
  const Overlap& segment_overlap(int segment) const;            ///< over heads
  Overlap total_overlap(const SegmentRange& range = {}) const;

  bool retrieve_alike() const;  ///< both have a list of hits for each head, or both one that all heads share
  bool both_retrieve(int layer, int head) const;  ///< whether both runs retrieve with this head
  /// Returns the heads with which both retrieve, by layer and head; for a list that all heads of both runs share, the
  /// head that it is named after. Valid until A grows.
  const std::vector<HeadRef>& heads_of_both() const;
  /// Returns B's hits at A's positions, so that both can stand in one map. Empty if it has none.
  std::vector<BriefHit> aligned_hits(int segment, int layer, int head) const;

 private:
  void find_common_tokens();
  LossChange find_loss_change(int segment) const;
  Overlap find_overlap(int segment) const;

  const RunModel& a_;
  const RunModel& b_;
  std::int64_t shift_ = 0;  ///< position in B − position in A
  std::vector<bool> common_at_;
  std::int64_t common_ = 0, first_difference_ = -1;
  bool same_vocabulary_ = true;
  mutable std::vector<LossChange> loss_changes_;  ///< of A's segments: a closed one never changes again
  mutable std::vector<Overlap> overlaps_;
  mutable std::vector<HeadRef> heads_;
  mutable std::ptrdiff_t lists_seen_ = 0;  ///< of A, with hits, when heads_ was made
};

/// Hits of A minus hits of B in each cell, padding left out; NaN where neither has any. `a[i]` and `b[i]` are row i.
HitGrid hit_difference(const std::vector<BriefHits>& a, const std::vector<BriefHits>& b, const HitWindow& window);

}  // namespace carryover
