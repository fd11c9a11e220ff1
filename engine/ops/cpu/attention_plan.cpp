// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/cpu/attention_plan.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <functional>

namespace carryover::ops {

namespace {

constexpr std::int64_t kUnits = 16;  ///< least number of units, so that threads can share the work evenly

}  // namespace

AttentionPlan divide(const std::vector<KvBlock>& parts, std::int64_t groups, std::int64_t m, std::int64_t tile) {
  std::int64_t tiles = 0;
  for (const KvBlock& part : parts) tiles += (part.keys.size(2) + tile - 1) / tile;
  AttentionPlan plan;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::int64_t rows = groups * parts[i].rows(), n = parts[i].keys.size(2);
    const std::int64_t length = tile * std::max<std::int64_t>(1, (tiles * rows + kUnits - 1) / kUnits);
    for (std::int64_t first = 0; first < n; first += length) {
      const std::int64_t count = std::min(length, n - first), slot = std::ssize(plan.first_query);
      const std::int64_t unseen = parts[i].first_query(first), queries = unseen > 0 ? m - unseen - count / 2 : m;
      for (std::int64_t row = 0; row < rows; ++row)
        plan.units.push_back({i, row, first, count, slot, queries * count / parts[i].rows()});
      plan.first_query.push_back(unseen);
    }
  }
  std::ranges::stable_sort(plan.units, std::ranges::greater(), &Unit::work);
  return plan;
}

std::vector<KvBlock> empty_gradients(const std::vector<KvBlock>& parts) {
  std::vector<KvBlock> gradients;
  for (const KvBlock& part : parts) {
    const auto like = [&] {
      return at::empty({part.keys.size(0), part.rows(), part.keys.size(2), part.keys.size(3)}, part.keys.options());
    };
    gradients.push_back(part.fixed ? KvBlock{} : KvBlock{like(), like()});
  }
  return gradients;
}

}  // namespace carryover::ops
