// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <vector>

namespace carryover::ops {

/// The k best pool entries of every summary: row (head · n + summary) · k + rank, scores descending, ties by lower
/// index. If fewer than k entries have a score that is a number, the rest has score −inf and index −1.
struct RankedEntries {
  std::int64_t k = 0;
  std::vector<double> scores;
  std::vector<std::int64_t> indices;
};

}  // namespace carryover::ops
