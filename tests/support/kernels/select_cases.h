// SPDX-License-Identifier: GPL-3.0-or-later
// Random inputs for select_hits: case n is a function of n alone (see kernel_cases.h).
#pragma once
#include <algorithm>

#include "kernels/select_hits.h"
#include "tests/support/kernels/kernel_cases.h"

namespace carryover::kernel_cases {

struct SelectHitsCase {
  kernels::SelectHits args{};
  std::vector<float> scores;
  std::vector<std::int64_t> indices;

  std::size_t results() const { return static_cast<std::size_t>(args.heads) * static_cast<std::size_t>(args.length); }
};

/// The row that pool_topk would leave of one summary, of a pool whose scores tie often.
inline void add_ranked_row(Draw& draw, SelectHitsCase& c) {
  std::vector<std::pair<float, std::int64_t>> row;
  const std::int64_t held = std::min<std::int64_t>(c.args.row_stride, c.args.entries);
  while (std::ssize(row) < held) {
    // Half of them near each other, so that windows overlap and summaries agree.
    const std::int64_t index =
        draw.whole(0, draw.chance(50) ? std::min<std::int64_t>(c.args.entries, 40) - 1 : c.args.entries - 1);
    const auto same = [index](const auto& entry) { return entry.second == index; };
    if (std::none_of(row.begin(), row.end(), same)) row.emplace_back(static_cast<float>(draw.whole(-6, 6)) / 4, index);
  }
  std::sort(row.begin(), row.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  row.resize(static_cast<std::size_t>(c.args.row_stride), {-std::numeric_limits<float>::infinity(), -1});
  for (const auto& [score, index] : row) {
    c.scores.push_back(score);
    c.indices.push_back(index);
  }
}

/// Pools smaller and larger than the prefix, anchors that don't suffice and that are too many, windows of one and wide.
inline SelectHitsCase select_hits_case(int n) {
  Draw draw(static_cast<std::uint64_t>(n) + 300000);
  SelectHitsCase c;
  c.args.heads = static_cast<std::int32_t>(draw.whole(0, 3));
  c.args.summaries = static_cast<std::int32_t>(draw.whole(1, draw.chance(20) ? 20 : 4));
  c.args.kept = static_cast<std::int32_t>(draw.whole(1, 18));
  c.args.row_stride = c.args.kept + static_cast<std::int32_t>(draw.whole(0, 1));
  c.args.entries = draw.chance(30) ? draw.whole(1, 60) : draw.whole(60, 3000);
  c.args.anchors = draw.chance(20) ? draw.whole(100, 1000) : draw.whole(1, 40);
  c.args.expand_before = draw.chance(10) ? draw.whole(100, 5000) : draw.whole(0, 5);
  c.args.expand_after = draw.chance(10) ? draw.whole(100, 5000) : draw.whole(0, 5);
  c.args.length = static_cast<std::int32_t>(std::min<std::int64_t>(draw.whole(0, 600), c.args.entries));
  for (std::int32_t row = 0; row < c.args.heads * c.args.summaries; ++row) add_ranked_row(draw, c);
  return c;
}

}  // namespace carryover::kernel_cases
