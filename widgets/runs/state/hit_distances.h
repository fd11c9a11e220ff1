// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "widgets/runs/state/segment_range.h"

namespace carryover {

class RunModel;

/// Bins of distance: bin b holds the distances from 2^b to 2^(b+1) − 1 tokens.
inline constexpr int distance_bins = 32;
int distance_bin(std::int64_t distance);  ///< distance ≥ 1
QString distance_bin_name(int bin);       ///< its smallest distance: "1", "512", "64K"

/// The distances of one head's hits: tokens from the hit to the start of the segment that reads it. Padding is no
/// evidence and is not counted. A plain value.
struct HeadDistances {
  int layer = 0, head = 0;
  std::array<std::int64_t, distance_bins> counts{};

  std::int64_t total() const;
  double share(int bin) const;           ///< of all its hits; 0 where it has none
  std::optional<double> median() const;  ///< tokens, the geometric middle of the median's bin
};

/// Returns the distances of each head that retrieves, ordered by layer and head.
std::vector<HeadDistances> hit_distances(const RunModel& run, const SegmentRange& range = {});
/// Adds the distances of the segments from `first` on, as a run grows.
void add_hit_distances(std::vector<HeadDistances>& heads, const RunModel& run, int first, const SegmentRange& range);
/// Returns the sum over all heads; its layer and head are -1.
HeadDistances sum_of(const std::vector<HeadDistances>& heads);
/// Returns null if the head retrieves nothing.
const HeadDistances* find_head(const std::vector<HeadDistances>& heads, int layer, int head);

/// Returns the mass that two distributions share, Σ min(p, q): 1 if they are the same, 0 if they have no bin in common.
/// Returns nothing if one is empty.
std::optional<double> shared_mass(const HeadDistances& a, const HeadDistances& b);
/// Returns the mean shared_mass over all pairs: 1 if the head looks equally far back whatever it reads. Returns nothing
/// with fewer than two that are not empty.
std::optional<double> consistency(const std::vector<const HeadDistances*>& same_head);

}  // namespace carryover
