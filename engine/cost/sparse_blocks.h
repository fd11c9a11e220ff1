// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>

namespace carryover {

/// The keys that heads with three branches see of a text (policy nsa). Block i, from 0, has tokens [i·b, (i + 1)·b). A
/// token that is the n-th of the text, from 1, has three branches: a mean of each of the first ⌊n/b⌋ blocks, which are
/// whole; tokens up to itself of its own block ⌊(n − 1)/b⌋ and of at most s − 1 blocks before it; and the last W
/// tokens. Pure; any thread.
struct SparseBlocks {
  std::int64_t block;     ///< b ≥ 1
  std::int64_t selected;  ///< s ≥ 1
  std::int64_t window;    ///< W ≥ 1

  /// Returns the number of whole blocks in a text of n tokens, whose means the n-th token sees.
  std::int64_t whole(std::int64_t n) const { return n / block; }
  /// Returns the block that the n-th token is in.
  std::int64_t own(std::int64_t n) const { return (n - 1) / block; }
  /// Returns true if the n-th token sees every block up to its own. Blocks are compared because a product could
  /// overflow.
  bool selects_all(std::int64_t n) const { return own(n) < selected; }
  /// Returns the number of tokens that the n-th token sees in selected blocks.
  std::int64_t of_blocks(std::int64_t n) const { return selects_all(n) ? n : n - (own(n) - selected + 1) * block; }
  std::int64_t in_window(std::int64_t n) const { return std::min(n, window); }
  /// Returns the sum over all branches. Each counts at most a third of the largest number, so that absurd lengths do
  /// not wrap around.
  std::int64_t seen_by(std::int64_t n) const {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 3;
    return std::min(whole(n), kMost) + std::min(of_blocks(n), kMost) + std::min(in_window(n), kMost);
  }
};

}  // namespace carryover
