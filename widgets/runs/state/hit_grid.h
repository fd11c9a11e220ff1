// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "engine/runs/values/hit_index.h"
#include "engine/runs/values/snapshot.h"

namespace carryover {

/// Hits binned to what a screen can show: one cell a position where the window is narrow enough, else cells of a power
/// of two of positions, aligned to 0, so that panning and growing never move a hit to another cell. A plain value.
struct HitGrid {
  Map map;                          ///< NaN where nothing is
  std::int64_t first_position = 0;  ///< of the first column
  std::int64_t bin = 1;             ///< positions a column
  int first_row = 0;
  int row_bin = 1;  ///< rows of the input a row

  double x0() const { return static_cast<double>(first_position) - 0.5; }
  double x1() const { return x0() + static_cast<double>(bin * map.columns); }
  double y0() const { return first_row - 0.5; }
  double y1() const { return y0() + static_cast<double>(row_bin * map.rows); }
};

struct HitWindow {
  double x0, x1, y0, y1;      ///< visible positions and rows; what lies outside is left out
  int max_columns, max_rows;  ///< of the map
  bool padding = true;        ///< padding is not evidence and may be left out
};

enum class HitValue {
  Kind,   ///< 0 padding, 1 expanded, 2 anchor: the strongest in a cell
  Count,  ///< hits in a cell
};

/// `rows[i]` are the hits of row i.
HitGrid bin_hits(const std::vector<BriefHits>& rows, const HitWindow& window, HitValue value);

}  // namespace carryover
