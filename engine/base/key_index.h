// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace carryover {

/// Keys [first, end) of [prefix; segment].
struct KeyRange {
  std::int32_t first = 0, end = 0;

  static KeyRange of(std::int64_t first, std::int64_t end) {
    return {static_cast<std::int32_t>(first), static_cast<std::int32_t>(end)};
  }
  std::int64_t length() const { return std::int64_t{end} - first; }
  /// Returns the keys that both have; an empty range if there are none.
  KeyRange within(KeyRange other) const {
    const std::int32_t from = std::max(first, other.first);
    return {from, std::max(from, std::min(end, other.end))};
  }
  bool operator==(const KeyRange&) const = default;
};

/// Says which keys of [prefix; segment], up to a query's own, queries see: a list for each row and each tile of
/// neighbouring queries. A row is a query head or, with tiles of one query, all query heads that share a KV head. A
/// plain value.
struct KeyIndex {
  std::int64_t rows = 0;             ///< query heads of the group, or the KV heads that it reads
  bool shared = false;               ///< true if rows are KV heads
  std::vector<std::int64_t> starts;  ///< the first query of each tile, ascending, from 0
  std::int64_t queries = 0;          ///< m
  /// [rows · tiles], a row's tiles side by side. Each list ascends, without overlap and without empty ranges.
  std::vector<std::vector<KeyRange>> lists;
  /// If it is not empty: tiles have one query, and outside of these keys each list names every key up to the query. An
  /// attention may then treat those keys as one dense part.
  KeyRange choice = {};

  std::int64_t tiles() const { return static_cast<std::int64_t>(starts.size()); }
  std::int64_t first(std::int64_t tile) const { return starts[static_cast<std::size_t>(tile)]; }
  std::int64_t end(std::int64_t tile) const { return tile + 1 < tiles() ? first(tile + 1) : queries; }
  std::int64_t tile_of(std::int64_t query) const {
    return std::upper_bound(starts.begin(), starts.end(), query) - starts.begin() - 1;
  }
  const std::vector<KeyRange>& list(std::int64_t row, std::int64_t tile) const {
    return lists[static_cast<std::size_t>(row * tiles() + tile)];
  }

  /// Returns an index without lists whose tiles have `tile` of m queries and are aligned with the text: the first query
  /// is the text's token number `place`.
  static KeyIndex of_tiles(std::int64_t rows, std::int64_t tile, std::int64_t place, std::int64_t m);
};

/// Sorts ranges, joins those that overlap or touch, and removes empty ones.
void unite(std::vector<KeyRange>& ranges);

}  // namespace carryover
