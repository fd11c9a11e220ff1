// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <vector>

namespace carryover {

/// Chooses which of very many points a plot draws: of each block of 2^k consecutive ones, the lowest and the highest;
/// and the first and the last of all. Blocks begin at multiples of their size, so that the choice depends on the data
/// alone, never on when it came or was drawn, and no spike is lost. Costs O(1) a new point, and `most_blocks` of
/// memory.
class Decimator {
 public:
  explicit Decimator(std::size_t most_blocks = 1024) : most_blocks_(most_blocks) {}

  void clear();
  /// Takes in values[size()], …; those before must be what they were.
  void extend(const std::vector<double>& values);
  std::size_t size() const { return size_; }

  /// Ascending indices to draw. Points in [first, last) are picked from blocks as fine as `most_blocks` allows there:
  /// what a zoom shows. A block of NaNs gives one of them, so that a line breaks.
  std::vector<std::size_t> picks(const std::vector<double>& values, std::size_t first = 0, std::size_t last = 0) const;

 private:
  struct Block {
    std::size_t low, high;
  };

  std::size_t most_blocks_, size_ = 0;
  int shift_ = 0;  ///< k
  std::vector<Block> blocks_;
};

}  // namespace carryover
