// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace carryover {

/// The merges of a byte-pair vocabulary. Immutable once filled; any thread.
class BytePairMerges {
 public:
  void reserve(std::size_t merges) { merges_.reserve(merges); }
  /// Adds a merge. Ranks count from 0, best first; of two merges of one pair, the last one added counts.
  void add(std::int32_t left, std::int32_t right, std::int32_t rank, std::int32_t result);

  /// Merges the ids of one word and appends the result. The best-ranked pair is always merged first, of equal ones the
  /// leftmost. Negative ids merge with nothing.
  void merge(const std::vector<std::int32_t>& word, std::vector<std::int32_t>& out) const;

 private:
  struct Merge {
    std::int32_t rank, result;
  };
  const Merge* find(std::int32_t left, std::int32_t right) const;
  std::unordered_map<std::uint64_t, Merge> merges_;  ///< key: left id · 2³² + right id
};

}  // namespace carryover
