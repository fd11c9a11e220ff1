// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/runs/values/hit_selection.h"
#include "engine/runs/values/hits.h"

namespace carryover {

struct WindowRule {
  std::int64_t window;                  ///< W ≥ 1
  std::int64_t length;                  ///< R
  std::vector<TokenRange> banned = {};  ///< positions that no slot may hold
};

/// The slots of whole windows, and how close the choice was.
struct WindowSelection {
  std::vector<Hit> hits;  ///< ascending; `position` counts from the scores' first
  /// Score of the last window taken minus that of the best one left; infinite if none is taken or none is left.
  double gap = std::numeric_limits<double>::infinity();
  double last = 0;  ///< score of the last window taken
};

/// Selects windows. A window's score is the mean of its W scores, summed in order in fp64. Of the windows that hold no
/// banned position the best is taken (of equal ones the first), then the best that overlaps none taken, until ⌊R/W⌋ are
/// taken or none is left; then the lowest unused positions fill up to min(R, positions allowed). A hit's score is its
/// window's; its anchor, which alone is of HitKind::Anchor, is the window's best position (of equal ones the first).
/// Scores must not be NaN. Pure; any thread.
WindowSelection select_windows(std::span<const double> scores, const WindowRule& rule);

/// The best of all positions, in the form that select_hits() takes.
struct PositionRanking {
  std::vector<Candidate> candidates;                     ///< at most `count`, none banned
  double gap = std::numeric_limits<double>::infinity();  ///< as in WindowSelection
  double last = 0;
};
PositionRanking best_positions(std::span<const double> scores, std::int64_t count,
                               const std::vector<TokenRange>& banned);

/// Returns each score's distance from their mean in standard deviations (of the population), or 0 if all are equal.
std::vector<double> z_scores(std::span<const double> scores);

}  // namespace carryover
