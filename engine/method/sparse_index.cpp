// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/method/sparse_index.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/runtime/compute_type.h"

namespace carryover {

namespace {

constexpr std::int64_t kForcedColumns = 30;     ///< number of the text's first columns, which are always taken
constexpr std::int64_t kForcedDiagonals = 100;  ///< number of the nearest diagonals, which are taken before all others
constexpr std::int64_t kLeastColumns = 30, kLeastDiagonals = 50;
/// A value greater than any sum of attention; columns and diagonals that are always taken get values near it.
constexpr double kForced = 1e6;

/// Returns the indices of the `count` largest values, in no order.
std::vector<std::int32_t> largest(const std::vector<double>& values, std::int64_t count) {
  std::vector<std::int32_t> places(values.size());
  std::iota(places.begin(), places.end(), 0);
  const auto at = [&](std::int32_t place) { return values[static_cast<std::size_t>(place)]; };
  std::ranges::nth_element(places, places.begin() + count,
                           [&](std::int32_t a, std::int32_t b) { return at(a) > at(b) || (at(a) == at(b) && a < b); });
  places.resize(static_cast<std::size_t>(count));
  return places;
}

/// Returns the means of blocks of 64 positions of the text. The first row is at place `place` of the first block. A
/// block that is not full counts as if the rest were zeros.
at::Tensor block_means(const at::Tensor& rows, std::int64_t place) {
  const std::int64_t lead = place % kSparseTile, n = lead + rows.size(0);
  const std::int64_t blocks = (n + kSparseTile - 1) / kSparseTile;
  return at::constant_pad_nd(rows.to(ops::compute_type(rows.scalar_type())), {0, 0, lead, blocks * kSparseTile - n})
             .view({blocks, kSparseTile, -1})
             .sum(1) /
         static_cast<double>(kSparseTile);
}

}  // namespace

VerticalSlash vertical_slash(std::vector<double> column_sums, std::vector<double> diagonal_sums, std::int64_t columns,
                             std::int64_t diagonals) {
  const std::int64_t n = std::ssize(column_sums);
  for (std::int64_t i = 0; i < std::min(n, kForcedColumns); ++i)
    column_sums[static_cast<std::size_t>(i)] = kForced - static_cast<double>(i);
  for (std::int64_t i = 0; i < std::min(n, kForcedDiagonals); ++i)
    diagonal_sums[static_cast<std::size_t>(n - 1 - i)] = kForced - static_cast<double>(i);
  VerticalSlash lines{largest(column_sums, std::min(n, std::max(columns, kLeastColumns))),
                      largest(diagonal_sums, std::min(n, std::max(diagonals, kLeastDiagonals)))};
  for (std::int32_t& diagonal : lines.diagonals) diagonal = static_cast<std::int32_t>(n - 1) - diagonal;
  std::ranges::sort(lines.columns);
  std::ranges::sort(lines.diagonals, std::ranges::greater());
  return lines;
}

/// Consecutive blocks are merged: where a diagonal's block begins inside the last range, or right behind it, a whole
/// block is added to that range.
std::vector<KeyRange> tile_ranges(const VerticalSlash& lines, std::int64_t tile_end, std::int64_t positions) {
  std::vector<KeyRange> ranges;
  std::int64_t first = -1, end = -1;
  const auto add = [&] {
    if (first >= 0) ranges.push_back(KeyRange::of(first, std::min(end, positions)));
  };
  for (const std::int32_t diagonal : lines.diagonals) {
    if (diagonal >= tile_end) continue;
    const std::int64_t block_end = std::max(tile_end - diagonal, kSparseTile);
    if (first < 0 || block_end > end + kSparseTile) {
      add();
      first = block_end - kSparseTile;
      end = block_end;
    } else if (block_end > end) {
      end += kSparseTile;
    }
  }
  add();
  for (const std::int32_t column : lines.columns)
    if (column < std::min(end, positions)) ranges.push_back({column, column + 1});
  unite(ranges);
  return ranges;
}

std::vector<std::vector<KeyRange>> block_ranges(const SparseQueries& sparse, std::int64_t blocks) {
  const at::Tensor queries = block_means(sparse.queries, sparse.first()), keys = block_means(sparse.keys, 0);
  const std::int64_t tiles = queries.size(0), all = keys.size(0), first = sparse.first() / kSparseTile;
  at::Tensor scores = at::mm(queries, keys.t());
  const at::Tensor future = at::ones({tiles, all}, scores.options().dtype(at::kBool)).triu(first + 1);
  scores.masked_fill_(future, -std::numeric_limits<double>::infinity());
  const std::int64_t count = std::min(blocks, all);
  const at::Tensor found = std::get<1>(scores.topk(count, 1, true, false)).to(at::kInt).cpu().contiguous();
  std::vector<std::vector<KeyRange>> lists(static_cast<std::size_t>(tiles));
  for (std::int64_t tile = 0; tile < tiles; ++tile) {
    auto& list = lists[static_cast<std::size_t>(tile)];
    const auto add = [&](std::int64_t block) {
      const std::int64_t begin = block * kSparseTile, end = std::min(begin + kSparseTile, sparse.positions());
      if (block <= first + tile) list.push_back(KeyRange::of(begin, end));
    };
    for (std::int64_t i = 0; i < count; ++i) add(found.const_data_ptr<std::int32_t>()[tile * count + i]);
    add(first + tile);
    unite(list);
  }
  return lists;
}

}  // namespace carryover
