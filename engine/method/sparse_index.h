// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "engine/base/key_index.h"

namespace carryover {

/// The tile size of MInference: so many consecutive queries see the same keys, and a block has so many keys.
inline constexpr std::int64_t kSparseTile = 64;

/// A chunk of one head's queries and all keys that they may see. The m queries are the last of N positions of a text.
struct SparseQueries {
  at::Tensor queries;  ///< [m, d], rotated
  at::Tensor keys;     ///< [N, d], rotated, position 0 first

  std::int64_t count() const { return queries.size(0); }
  std::int64_t positions() const { return keys.size(0); }
  std::int64_t first() const { return positions() - count(); }  ///< position of the first query
};

/// Columns and diagonals of an attention matrix (MInference's vertical and slash lines).
struct VerticalSlash {
  std::vector<std::int32_t> columns;    ///< positions of keys, ascending
  std::vector<std::int32_t> diagonals;  ///< distances of a key from its query, descending; 0 is among them
};

/// Number of last queries of a chunk by which columns and diagonals are estimated.
inline constexpr std::int64_t kEstimatingQueries = 64;

/// Returns the columns and diagonals with the largest sums of attention: `columns` columns (at least 30, with the
/// text's first 30 among them) and `diagonals` diagonals (at least 50; the nearest 100 before all others), or fewer if
/// there are fewer positions. The sums are a row each of ops::AttentionLines, [n]. Any thread.
VerticalSlash vertical_slash(std::vector<double> column_sums, std::vector<double> diagonal_sums, std::int64_t columns,
                             std::int64_t diagonals);

/// Returns the ranges of keys that one tile of queries sees by these lines, as MInference's kernel computes it: whole
/// blocks of 64 keys along each diagonal, and the columns before the last of these blocks. `tile_end`: a multiple of
/// 64, behind the tile's last query; `positions`: N.
std::vector<KeyRange> tile_ranges(const VerticalSlash& lines, std::int64_t tile_end, std::int64_t positions);

/// Returns for each tile of queries the ranges of its own block and of the `blocks` blocks of keys whose mean has the
/// largest dot product with the mean of the queries: [tiles] of KeyIndex::of_tiles.
std::vector<std::vector<KeyRange>> block_ranges(const SparseQueries& sparse, std::int64_t blocks);

}  // namespace carryover
