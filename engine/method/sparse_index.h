// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "engine/core/base/key_index.h"

namespace carryover {

/// MInference's tiles: this many queries see the same keys, and this many keys are a block.
inline constexpr std::int64_t kSparseTile = 64;

/// A chunk of one head's queries and all keys that they may see: m queries, the last of N positions of a text.
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

/// Last queries of a chunk, which estimate.
inline constexpr std::int64_t kEstimatingQueries = 64;

/// Those with the largest sums of attention: `columns` (30 at least, the text's first 30 among them) and `diagonals`
/// (50 at least, the nearest 100 before all others), fewer where there are fewer positions. sums: a row of
/// ops::AttentionLines each, [n]. Any thread.
VerticalSlash vertical_slash(std::vector<double> column_sums, std::vector<double> diagonal_sums, std::int64_t columns,
                             std::int64_t diagonals);

/// What one tile of queries sees by them, as MInference's kernel computes it: whole blocks of 64 keys along each
/// diagonal, and the columns before the last of them. `tile_end`: a multiple of 64, behind its last query;
/// `positions`: N.
std::vector<KeyRange> tile_ranges(const VerticalSlash& lines, std::int64_t tile_end, std::int64_t positions);

/// The same by blocks: for each tile of queries the `blocks` blocks of keys whose mean has the largest product with the
/// queries' mean, and its own. [tiles] of KeyIndex::of_tiles.
std::vector<std::vector<KeyRange>> block_ranges(const SparseQueries& sparse, std::int64_t blocks);

}  // namespace carryover
