// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/state/hit_grid.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace carryover {
namespace {

/// Cells of `bin` (a power of two, aligned to 0) that cover [low, high] with at most `limit` of them.
struct Cells {
  std::int64_t bin, first, count;
};

Cells cover(double low, double high, int limit) {
  const auto from = static_cast<std::int64_t>(std::floor(std::max(0.0, low + 0.5)));
  const auto to = std::max(from + 1, static_cast<std::int64_t>(std::ceil(high + 0.5)));
  std::int64_t bin = 1;
  const auto cells = [&] { return (to + bin - 1) / bin - from / bin; };
  while (cells() > std::max(1, limit)) bin *= 2;
  return {bin, from / bin * bin, cells()};
}

float kind_value(HitKind kind) {
  return kind == HitKind::Anchor ? 2.F : kind == HitKind::Expanded ? 1.F : 0.F;
}

}  // namespace

HitGrid bin_hits(const std::vector<BriefHits>& rows, const HitWindow& window, HitValue value) {
  const Cells columns = cover(window.x0, window.x1, window.max_columns);
  const Cells lines = cover(window.y0, std::min(window.y1, static_cast<double>(rows.size()) - 0.5), window.max_rows);
  HitGrid grid{{lines.count, columns.count, {}},
               columns.first,
               columns.bin,
               static_cast<int>(lines.first),
               static_cast<int>(lines.bin)};
  grid.map.values.assign(static_cast<std::size_t>(lines.count * columns.count),
                         std::numeric_limits<float>::quiet_NaN());
  const int shift = std::countr_zero(static_cast<std::uint64_t>(columns.bin));
  const auto end_row = std::min(static_cast<std::int64_t>(rows.size()), lines.first + lines.bin * lines.count);
  for (std::int64_t row = lines.first; row < end_row; ++row) {
    float* cells = grid.map.values.data() + (row - lines.first) / lines.bin * columns.count;
    for (const BriefHit hit : rows[static_cast<std::size_t>(row)]) {
      const std::int64_t offset = hit.position() - columns.first;
      if (offset < 0 || offset >= columns.bin * columns.count) continue;
      if (!hit.is_evidence() && !window.padding) continue;
      float& cell = cells[offset >> shift];
      if (value == HitValue::Count)
        cell = std::isnan(cell) ? 1.F : cell + 1.F;
      else
        cell = std::isnan(cell) ? kind_value(hit.kind()) : std::max(cell, kind_value(hit.kind()));
    }
  }
  return grid;
}

}  // namespace carryover
