// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/values/window_selection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "engine/base/error.h"

namespace carryover {

namespace {

constexpr double kOut = -std::numeric_limits<double>::infinity();  // score of a window that can't be taken
constexpr std::int64_t kBlock = 512;                               // number of windows

/// Returns the mean of each window, by its first position. Each is summed in order; meanwhile a block of sums stays in
/// the cache.
std::vector<double> window_scores(std::span<const double> scores, std::int64_t window) {
  const std::int64_t count = std::max<std::int64_t>(0, std::ssize(scores) - window + 1);
  std::vector<double> means(static_cast<std::size_t>(count), 0.0);
  for (std::int64_t begin = 0; begin < count; begin += kBlock) {
    const std::int64_t size = std::min(kBlock, count - begin);
    double* const mean = means.data() + begin;
    for (std::int64_t offset = 0; offset < window; ++offset) {
      const double* const score = scores.data() + begin + offset;
      for (std::int64_t i = 0; i < size; ++i) mean[i] += score[i];
    }
    for (std::int64_t i = 0; i < size; ++i) mean[i] /= static_cast<double>(window);
  }
  return means;
}

/// The windows that can still be taken, by their first position, and the best score of each block of windows, so that
/// the search for the best of all scans only the blocks.
class Windows {
 public:
  Windows(std::span<const double> scores, std::int64_t window)
      : window_(window), scores_(window_scores(scores, window)) {
    best_.resize(static_cast<std::size_t>((std::ssize(scores_) + kBlock - 1) / kBlock));
    for (std::int64_t block = 0; block < std::ssize(best_); ++block) look(block);
  }

  /// Returns the first of the best windows, or nothing if none is left.
  std::optional<std::int64_t> best() const {
    const auto block = std::max_element(best_.begin(), best_.end());
    if (block == best_.end() || *block == kOut) return std::nullopt;
    const std::int64_t first = (block - best_.begin()) * kBlock;
    return std::find(scores_.begin() + first, scores_.end(), *block) - scores_.begin();
  }
  double score(std::int64_t first) const { return scores_[static_cast<std::size_t>(first)]; }

  /// Removes every window that has a position of [first, last).
  void take_out(std::int64_t first, std::int64_t last) {
    if (first >= last) return;
    const std::int64_t begin = std::clamp<std::int64_t>(first - window_ + 1, 0, std::ssize(scores_));
    const std::int64_t end = std::clamp<std::int64_t>(last, begin, std::ssize(scores_));
    std::fill(scores_.begin() + begin, scores_.begin() + end, kOut);
    for (std::int64_t block = begin / kBlock; block * kBlock < end; ++block) look(block);
  }

 private:
  void look(std::int64_t block) {
    const auto first = scores_.begin() + block * kBlock;
    const auto last = scores_.begin() + std::min((block + 1) * kBlock, std::ssize(scores_));
    best_[static_cast<std::size_t>(block)] = *std::max_element(first, last);
  }

  std::int64_t window_;
  std::vector<double> scores_, best_;
};

void add_window(std::span<const double> scores, std::int64_t first, std::int64_t window, double score,
                std::vector<Hit>& hits) {
  const auto begin = scores.begin() + first;
  const std::int64_t anchor = std::max_element(begin, begin + window) - scores.begin();
  for (std::int64_t position = first; position < first + window; ++position)
    hits.push_back(
        {position, position == anchor ? HitKind::Anchor : HitKind::Expanded, static_cast<float>(score), anchor, -1});
}

/// Returns the sum of all terms. It adds eight sums, of which the last takes the remainder, because a single sum would
/// wait for each addition.
template <typename Term>
double sum_of(std::span<const double> scores, const Term& term) {
  constexpr std::size_t kSums = 8;
  double sums[kSums] = {};
  std::size_t i = 0;
  for (; i + kSums <= scores.size(); i += kSums)
    for (std::size_t lane = 0; lane < kSums; ++lane) sums[lane] += term(scores[i + lane]);
  for (; i < scores.size(); ++i) sums[kSums - 1] += term(scores[i]);
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
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
  Windows windows(scores, rule.window);
  for (const TokenRange& range : rule.banned) windows.take_out(range.first, range.last);
  WindowSelection selection;
  const std::int64_t wanted = rule.length / rule.window;
  for (std::int64_t taken = 0; wanted > 0 && taken <= wanted; ++taken) {
    const auto first = windows.best();
    if (!first) break;
    const double score = windows.score(*first);
    if (taken == wanted) {
      selection.gap = selection.last - score;
      break;
    }
    selection.last = score;
    add_window(scores, *first, rule.window, score, selection.hits);
    windows.take_out(*first, *first + rule.window);
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
  PositionRanking ranking;
  for (std::int64_t i = 0; i < kept; ++i)
    ranking.candidates.push_back(
        {order[static_cast<std::size_t>(i)], static_cast<float>(score(order[static_cast<std::size_t>(i)])), -1});
  if (kept > 0) ranking.last = score(order[static_cast<std::size_t>(kept - 1)]);
  if (ranked > kept && kept > 0) ranking.gap = ranking.last - score(order[static_cast<std::size_t>(kept)]);
  return ranking;
}

std::vector<double> z_scores(std::span<const double> scores) {
  std::vector<double> z(scores.size(), 0.0);
  if (std::ranges::all_of(scores, [&](double score) { return score == scores[0]; })) return z;
  const double count = static_cast<double>(scores.size());
  const double mean = sum_of(scores, [](double score) { return score; }) / count;
  const double deviation =
      std::sqrt(sum_of(scores, [mean](double score) { return (score - mean) * (score - mean); }) / count);
  for (std::size_t i = 0; i < scores.size(); ++i) z[i] = (scores[i] - mean) / deviation;
  return z;
}

}  // namespace carryover
