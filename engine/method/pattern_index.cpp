// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/method/pattern_index.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/ops/attention_lines.h"
#include "engine/runtime/parallel.h"

namespace carryover {

namespace {

using Lists = std::vector<std::vector<KeyRange>>;

/// A head whose pattern is columns and diagonals, and the sums by which it chooses them.
struct LineHead {
  std::size_t row;  ///< the head's row in the index
  std::vector<double> columns, diagonals;
};

/// Returns row `row` of [rows, n], a tensor on the CPU.
std::vector<double> row_of(const at::Tensor& rows, std::int64_t row) {
  const at::Tensor own = rows[row].to(at::kDouble).contiguous();
  const auto* first = own.const_data_ptr<double>();
  return {first, first + own.numel()};
}

std::vector<LineHead> line_heads(const std::vector<HeadPattern>& patterns, const std::vector<int>& heads,
                                 const at::Tensor& queries, const at::Tensor& keys, double score_cap) {
  const auto by_lines = [](const HeadPattern& pattern) { return pattern.kind == PatternKind::VerticalSlash; };
  if (std::ranges::none_of(patterns, by_lines)) return {};
  const std::int64_t m = queries.size(1), last = std::min(kEstimatingQueries, m);
  const ops::AttentionLines sums = ops::attention_lines(queries.narrow(1, m - last, last), keys, score_cap);
  std::vector<LineHead> found;
  for (std::size_t row = 0; row < heads.size(); ++row)
    if (by_lines(patterns[row]))
      found.push_back({row, row_of(sums.columns, heads[row]), row_of(sums.diagonals, heads[row])});
  return found;
}

/// Returns the ranges of keys that a head with these lines sees from each tile. `first`: position of the chunk's first
/// query; `positions`: number of keys.
Lists line_ranges(const VerticalSlash& lines, const KeyIndex& tiles, std::int64_t first, std::int64_t positions) {
  Lists lists;
  for (std::int64_t tile = 0; tile < tiles.tiles(); ++tile) {
    const std::int64_t last = first + tiles.end(tile) - 1;
    lists.push_back(tile_ranges(lines, (last / kSparseTile + 1) * kSparseTile, positions));
  }
  return lists;
}

}  // namespace

KeyIndex pattern_index(const std::vector<HeadPattern>& patterns, const std::vector<int>& heads,
                       const at::Tensor& queries, const at::Tensor& keys, double score_cap) {
  const std::int64_t m = queries.size(1), n = keys.size(1), share = queries.size(0) / keys.size(0);
  KeyIndex index = KeyIndex::of_tiles(std::ssize(heads), kSparseTile, n - m, m);
  const auto put = [&](Lists lists, std::size_t row) {
    std::ranges::move(lists, index.lists.begin() + static_cast<std::int64_t>(row) * index.tiles());
  };
  for (std::size_t row = 0; row < heads.size(); ++row) {
    CARRYOVER_CHECK(patterns[row].kind != PatternKind::AShape);
    if (patterns[row].kind == PatternKind::BlockSparse)
      put(block_ranges({queries[heads[row]], keys[heads[row] / share]}, patterns[row].vertical), row);
  }
  std::vector<LineHead> by_lines = line_heads(patterns, heads, queries, keys, score_cap);
  ops::parallel_for(0, std::ssize(by_lines), 1, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      auto& [row, columns, diagonals] = by_lines[i];
      const HeadPattern& pattern = patterns[row];
      put(line_ranges(vertical_slash(std::move(columns), std::move(diagonals), pattern.vertical, pattern.slash), index,
                      n - m, n),
          row);
    }
  });
  return index;
}

KeyIndex pattern_index(const HeadPattern& pattern, const SparseQueries& sparse, double score_cap) {
  return pattern_index({pattern}, {0}, sparse.queries.unsqueeze(0), sparse.keys.unsqueeze(0), score_cap);
}

}  // namespace carryover
