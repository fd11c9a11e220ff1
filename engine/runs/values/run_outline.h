// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "engine/runs/values/hit_index.h"
#include "engine/runs/values/snapshot.h"

namespace carryover {

/// The numbers of one segment. A plain value.
struct SegmentDigest {
  SegmentRecord record;
  std::int64_t anchors = 0, evidence = 0;  ///< slots over all heads; evidence: anchors and expanded ones
  float mean_key_norm = std::numeric_limits<float>::quiet_NaN();  ///< mean over the carry that it left; NaN: no map
  std::array<float, 3> largest{};                                 ///< largest values of its maps of key norms, value
                                                                  ///< norms and drift
  Map sinks;                                                      ///< the snapshot's: 32·L bytes
};

/// The part of a run that stays in memory for every segment, however long the text: a digest, the loss of each target,
/// and all hits in brief. The rest of a segment (scores, anchors, maps) comes from a SegmentSource. One thread at a
/// time.
class RunOutline {
 public:
  explicit RunOutline(std::int64_t tokens = 0);

  void append(const SegmentSnapshot& snapshot);
  /// Appends a segment from its parts; `digest` lacks the counts of hits.
  void append(const SegmentDigest& digest, std::span<const BriefHead> heads, std::span<const float> target_nll);

  void cut(int count);  ///< keeps only the first `count` segments

  int count() const { return static_cast<int>(segments_.size()); }
  const SegmentDigest& segment(int index) const { return segments_[static_cast<std::size_t>(index)]; }
  const HitIndex& hits() const { return hits_; }
  float nll(std::int64_t position) const;            ///< loss of the token there; NaN if there is none (yet)
  std::vector<float> target_nll(int segment) const;  ///< losses of all its targets; empty if none was captured
  /// Returns a segment as far as it is kept here: without maps, and with hits without score and anchor. `shared`: its
  /// list is that of a shared search, read by every reader.
  std::shared_ptr<const SegmentSnapshot> remains(int segment, std::span<const std::int32_t> ids, bool shared) const;
  std::int64_t bytes() const;

 private:
  std::vector<SegmentDigest> segments_;
  std::vector<float> nll_;  ///< by absolute position of the target
  HitIndex hits_;
};

/// Returns the digest without its counts of hits, which follow from the hits.
SegmentDigest digest_of(const SegmentSnapshot& snapshot);

}  // namespace carryover
