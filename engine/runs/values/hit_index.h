// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "engine/runs/values/hits.h"

namespace carryover {

/// The position and kind of a slot of a retrieved prefix, without its score and anchor: 4 bytes.
class BriefHit {
 public:
  static constexpr std::int64_t end_of_positions = std::int64_t{1} << 30;

  BriefHit(std::int64_t position, HitKind kind)
      : bits_(static_cast<std::uint32_t>(position) << 2 | static_cast<std::uint32_t>(kind)) {}
  std::int64_t position() const { return bits_ >> 2; }
  HitKind kind() const { return static_cast<HitKind>(bits_ & 3); }
  bool is_evidence() const { return kind() != HitKind::Padding; }
  bool operator==(const BriefHit&) const = default;

 private:
  std::uint32_t bits_;
};
using BriefHits = std::span<const BriefHit>;  ///< ascending by position

/// The hits that one head read in one segment, in brief.
struct BriefHead {
  int layer = 0, head = 0;
  std::vector<BriefHit> hits;
};
/// Throws EngineError{Unsupported} if a position is not below end_of_positions.
BriefHead brief_of(const HeadHits& head);

/// All hits of a run in brief, head by head, so that a view of all segments is one walk through memory. The next append
/// invalidates all spans. One thread at a time.
class HitIndex {
 public:
  struct Column {
    int layer, head;
    std::vector<std::uint64_t> ends;  ///< ends[i]: number of hits of segments 0..i; shorter than the run if no hits
                                      ///< came since
    std::vector<BriefHit> hits;
    BriefHits of(int segment) const;  ///< empty if it read nothing
  };

  /// Appends a segment. `segment` is the one after the last that was appended.
  void append(int segment, std::span<const BriefHead> heads);
  void cut(int segments);  ///< keeps only the first segments
  BriefHits of(int segment, int layer, int head) const;
  const Column* find(int layer, int head) const;                   ///< null: it has never read anything
  const std::vector<Column>& columns() const { return columns_; }  ///< by layer and head
  std::int64_t bytes() const;

 private:
  std::vector<Column> columns_;
};

}  // namespace carryover
