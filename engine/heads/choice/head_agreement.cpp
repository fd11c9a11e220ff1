// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/heads/choice/head_agreement.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/error.h"

namespace carryover {

namespace {

std::vector<std::size_t> ranked_indices(const HeadScores& scores) {
  std::vector<std::size_t> order(scores.values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores.values[a] > scores.values[b]; });
  return order;
}

/// Returns each score's rank, where 0 is the best; equal scores share the mean of their ranks.
std::vector<double> ranks(const HeadScores& scores) {
  const std::vector<std::size_t> order = ranked_indices(scores);
  std::vector<double> ranks(order.size());
  for (std::size_t first = 0, end; first < order.size(); first = end) {
    for (end = first + 1; end < order.size() && scores.values[order[end]] == scores.values[order[first]];) ++end;
    const double mean = static_cast<double>(first + end - 1) / 2;
    for (std::size_t i = first; i < end; ++i) ranks[order[i]] = mean;
  }
  return ranks;
}

}  // namespace

std::vector<HeadRef> ranked_heads(const HeadScores& scores) {
  std::vector<HeadRef> heads;
  for (const std::size_t index : ranked_indices(scores)) {
    const auto cell = static_cast<std::int64_t>(index);
    heads.push_back({static_cast<int>(cell / scores.heads), static_cast<int>(cell % scores.heads)});
  }
  return heads;
}

std::optional<double> rank_correlation(const HeadScores& a, const HeadScores& b) {
  CARRYOVER_CHECK(a.layers == b.layers && a.heads == b.heads);
  const std::vector<double> x = ranks(a), y = ranks(b);
  const double mean = (static_cast<double>(x.size()) - 1) / 2;  // mean rank, the same in both tables
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  if (xx == 0 || yy == 0) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

double top_overlap(const HeadScores& a, const HeadScores& b, std::size_t count) {
  CARRYOVER_CHECK(a.layers == b.layers && a.heads == b.heads && count > 0);
  std::vector<HeadRef> of_a = ranked_heads(a), of_b = ranked_heads(b);
  count = std::min(count, of_a.size());
  of_a.resize(count);
  of_b.resize(count);
  const auto both = std::count_if(
      of_a.begin(), of_a.end(), [&](HeadRef head) { return std::find(of_b.begin(), of_b.end(), head) != of_b.end(); });
  return static_cast<double>(both) / static_cast<double>(count);
}

std::vector<HeadRef> retrieving_heads(const Grouping& grouping) {
  std::vector<HeadRef> heads;
  for (const int layer : grouping.long_range_layers())
    for (const int head : grouping.long_heads(layer)) heads.push_back({layer, head});
  return heads;
}

std::optional<double> shared_heads(const Grouping& wanted, const Grouping& grouping) {
  const std::vector<HeadRef> heads = retrieving_heads(wanted);
  if (heads.empty()) return std::nullopt;
  const auto both = std::count_if(heads.begin(), heads.end(), [&](HeadRef head) {
    return grouping.is_long_layer(head.layer) && grouping.is_long(head.layer, head.head);
  });
  return static_cast<double>(both) / static_cast<double>(heads.size());
}

}  // namespace carryover
