// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/run/window_selection.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/base/error.h"

namespace carryover {

namespace {

constexpr double kOut = -std::numeric_limits<double>::infinity();  // of a window that can't be taken

/// The mean of each window, by its first position.
std::vector<double> window_scores(std::span<const double> scores, std::int64_t window) {
  const std::int64_t count = std::max<std::int64_t>(0, std::ssize(scores) - window + 1);
  std::vector<double> means(static_cast<std::size_t>(count), 0.0);
  for (std::int64_t offset = 0; offset < window; ++offset)
    for (std::int64_t first = 0; first < count; ++first)
      means[static_cast<std::size_t>(first)] += scores[static_cast<std::size_t>(first + offset)];
  for (double& mean : means) mean /= static_cast<double>(window);
  return means;
}

/// Takes out every window that has a position of [first, last).
void take_out(std::vector<double>& windows, std::int64_t window, std::int64_t first, std::int64_t last) {
  const std::int64_t begin = std::clamp<std::int64_t>(first - window + 1, 0, std::ssize(windows));
  const std::int64_t end = std::clamp<std::int64_t>(last, begin, std::ssize(windows));
  std::fill(windows.begin() + begin, windows.begin() + end, kOut);
}

void add_window(std::span<const double> scores, std::int64_t first, std::int64_t window, double score,
                std::vector<Hit>& hits) {
  const auto begin = scores.begin() + first;
  const std::int64_t anchor = std::max_element(begin, begin + window) - scores.begin();
  for (std::int64_t position = first; position < first + window; ++position)
    hits.push_back(
        {position, position == anchor ? HitKind::Anchor : HitKind::Expanded, static_cast<float>(score), anchor, -1});
}

void fill_up(std::vector<Hit>& hits, const WindowRule& rule, std::int64_t positions) {
  std::vector<bool> used(static_cast<std::size_t>(positions), false);
  for (const Hit& hit : hits) used[static_cast<std::size_t>(hit.position)] = true;
  for (const TokenRange& range : rule.banned)
    for (std::int64_t position = std::max<std::int64_t>(0, range.first); position < std::min(range.last, positions);
         ++position)
      used[static_cast<std::size_t>(position)] = true;
  for (std::int64_t position = 0; position < positions && std::ssize(hits) < rule.length; ++position)
    if (!used[static_cast<std::size_t>(position)]) hits.push_back({.position = position});
}

}  // namespace

WindowSelection select_windows(std::span<const double> scores, const WindowRule& rule) {
  CARRYOVER_CHECK(rule.window >= 1 && std::ranges::none_of(scores, [](double score) { return std::isnan(score); }));
  std::vector<double> windows = window_scores(scores, rule.window);
  for (const TokenRange& range : rule.banned) take_out(windows, rule.window, range.first, range.last);
  WindowSelection selection;
  const std::int64_t wanted = rule.length / rule.window;
  for (std::int64_t taken = 0; taken <= wanted && !windows.empty(); ++taken) {
    const auto best = std::max_element(windows.begin(), windows.end());
    if (*best == kOut) break;
    const std::int64_t first = best - windows.begin();
    if (taken == wanted) {
      selection.gap = selection.last - *best;
      break;
    }
    selection.last = *best;
    selection.gap = std::numeric_limits<double>::infinity();
    add_window(scores, first, rule.window, *best, selection.hits);
    take_out(windows, rule.window, first, first + rule.window);
  }
  fill_up(selection.hits, rule, std::ssize(scores));
  std::ranges::sort(selection.hits, {}, &Hit::position);
  return selection;
}

PositionRanking best_positions(std::span<const double> scores, std::int64_t count,
                               const std::vector<TokenRange>& banned) {
  std::vector<std::int64_t> order;
  for (std::int64_t position = 0; position < std::ssize(scores); ++position)
    if (std::ranges::none_of(banned, [&](const TokenRange& range) { return range.contains(position); }))
      order.push_back(position);
  const auto score = [&](std::int64_t position) { return scores[static_cast<std::size_t>(position)]; };
  const std::int64_t kept = std::min(count, std::ssize(order)), ranked = std::min(count + 1, std::ssize(order));
  std::partial_sort(order.begin(), order.begin() + ranked, order.end(),
                    [&](std::int64_t a, std::int64_t b) { return score(a) != score(b) ? score(a) > score(b) : a < b; });
  PositionRanking ranking{{}, std::numeric_limits<double>::infinity(), 0};
  for (std::int64_t i = 0; i < kept; ++i)
    ranking.candidates.push_back(
        {order[static_cast<std::size_t>(i)], static_cast<float>(score(order[static_cast<std::size_t>(i)])), -1});
  if (kept > 0) ranking.last = score(order[static_cast<std::size_t>(kept - 1)]);
  if (ranked > kept && kept > 0) ranking.gap = ranking.last - score(order[static_cast<std::size_t>(kept)]);
  return ranking;
}

std::vector<double> z_scores(std::span<const double> scores) {
  std::vector<double> z(scores.size(), 0.0);
  const double count = static_cast<double>(scores.size());
  double total = 0, squares = 0;
  for (const double score : scores) total += score;
  const double mean = total / count;
  for (const double score : scores) squares += (score - mean) * (score - mean);
  const double deviation = std::sqrt(squares / count);
  if (deviation == 0) return z;
  for (std::size_t i = 0; i < scores.size(); ++i) z[i] = (scores[i] - mean) / deviation;
  return z;
}

}  // namespace carryover
