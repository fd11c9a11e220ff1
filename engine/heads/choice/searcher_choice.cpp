// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/heads/choice/searcher_choice.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/base/error.h"
#include "engine/runs/values/window_selection.h"

namespace carryover {

namespace {

constexpr std::size_t kCandidates = 24;  // heads that are tried beside those chosen: the ones that find most alone

/// Returns the rank of the best window that holds the answer, or its first tokens if the answer is longer than a
/// window: 1 plus the number of windows with a higher sum.
std::int64_t window_rank(std::span<const double> scores, std::int64_t window, std::int64_t first, std::int64_t count) {
  const std::int64_t starts = std::ssize(scores) - window + 1;
  if (starts < 1) return 1;
  const std::int64_t held = std::min(count, window);
  std::vector<double> sums(static_cast<std::size_t>(starts));
  double sum = 0;
  for (std::int64_t i = 0; i < std::ssize(scores); ++i) {
    sum += scores[static_cast<std::size_t>(i)];
    if (i >= window) sum -= scores[static_cast<std::size_t>(i - window)];
    if (i + 1 >= window) sums[static_cast<std::size_t>(i + 1 - window)] = sum;
  }
  const std::int64_t begin = std::clamp<std::int64_t>(first + held - window, 0, starts - 1),
                     end = std::clamp<std::int64_t>(first, begin, starts - 1) + 1;
  const double best = *std::max_element(sums.begin() + begin, sums.begin() + end);
  return 1 + std::ranges::count_if(sums, [&](double other) { return other > best; });
}

bool finds(std::span<const double> scores, const WindowRule& rule, const SearchTrial& trial) {
  const std::vector<Hit> hits = select_windows(scores, rule).hits;
  return trial.count == std::ranges::count_if(hits, [&](const Hit& hit) {
           return hit.position >= trial.first && hit.position < trial.first + trial.count;
         });
}

bool better(const SearcherStep& a, const SearcherStep& b) {
  return a.found.chosen_by != b.found.chosen_by ? a.found.chosen_by > b.found.chosen_by : a.log_rank < b.log_rank;
}

double share(std::int64_t part, std::int64_t all) {
  return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0;
}

}  // namespace

SearcherChoice::SearcherChoice(const ModelConfig& model, const SegmentConfig& config)
    : layers_(model.layers),
      heads_(model.heads),
      window_(config.window_length),
      length_(config.retrieval_length),
      searching_(model.global_layers()) {}

void SearcherChoice::add(SearchTrial trial) {
  CARRYOVER_CHECK(std::ssize(trial.scores) == std::ssize(searching_) * heads_ * trial.entries);
  CARRYOVER_CHECK(trial.count > 0 && trial.first >= 0 && trial.first + trial.count <= trial.entries);
  trials_.push_back(std::move(trial));
}

std::span<const float> SearcherChoice::row(const SearchTrial& trial, HeadRef head) const {
  const auto entries = static_cast<std::size_t>(trial.entries);
  const std::int64_t place = std::ranges::lower_bound(searching_, head.layer) - searching_.begin();
  return std::span(trial.scores).subspan(static_cast<std::size_t>(place * heads_ + head.head) * entries, entries);
}

HeadScores SearcherChoice::found_alone() const {
  HeadScores alone{layers_, heads_, std::vector<double>(static_cast<std::size_t>(layers_ * heads_), 0.0)};
  for (const int layer : searching_)
    for (int head = 0; head < heads_; ++head) {
      std::int64_t found = 0, tried = 0;
      for (const SearchTrial& trial : trials_) {
        if (trial.held_out) continue;
        const std::span<const float> own = row(trial, {layer, head});
        found += finds(std::vector<double>(own.begin(), own.end()), {window_, length_}, trial);
        ++tried;
      }
      alone.values[static_cast<std::size_t>(layer * heads_ + head)] = share(found, tried);
    }
  return alone;
}

std::vector<std::vector<double>> SearcherChoice::sums_of(const std::vector<SearcherStep>& chosen) const {
  std::vector<std::vector<double>> sums;
  for (const SearchTrial& trial : trials_) {
    std::vector<double>& sum = sums.emplace_back(static_cast<std::size_t>(trial.entries), 0.0);
    for (const SearcherStep& step : chosen) {
      const std::span<const float> own = row(trial, step.head);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<double>(own[i]);
    }
  }
  return sums;
}

SearcherStep SearcherChoice::judge(HeadRef added, const std::vector<std::vector<double>>& sums) const {
  SearcherStep step{added, {}, 0};
  std::int64_t found = 0, tried = 0, found_held_out = 0;
  for (std::size_t t = 0; t < trials_.size(); ++t) {
    const SearchTrial& trial = trials_[t];
    std::vector<double> sum = sums[t];
    const std::span<const float> own = row(trial, added);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<double>(own[i]);
    const bool found_here = finds(sum, {window_, length_}, trial);
    if (trial.held_out) {
      found_held_out += found_here;
      continue;
    }
    found += found_here;
    ++tried;
    step.log_rank += std::log2(static_cast<double>(window_rank(sum, window_, trial.first, trial.count)));
  }
  step.found = {share(found, tried), share(found_held_out, std::ssize(trials_) - tried)};
  step.log_rank = tried > 0 ? step.log_rank / static_cast<double>(tried) : 0;
  return step;
}

std::vector<HeadRef> SearcherChoice::candidates(const HeadScores& alone,
                                                const std::vector<SearcherStep>& chosen) const {
  std::vector<HeadRef> order;
  for (const int layer : searching_)
    for (int head = 0; head < heads_; ++head)
      if (std::ranges::find(chosen, HeadRef{layer, head}, &SearcherStep::head) == chosen.end())
        order.push_back({layer, head});
  std::ranges::stable_sort(order,
                           [&](HeadRef a, HeadRef b) { return alone.at(a.layer, a.head) > alone.at(b.layer, b.head); });
  if (order.size() > kCandidates) order.resize(kCandidates);
  return order;
}

std::optional<SearcherStep> SearcherChoice::next(const HeadScores& alone,
                                                 const std::vector<SearcherStep>& chosen) const {
  const std::vector<std::vector<double>> sums = sums_of(chosen);
  std::optional<SearcherStep> best;
  for (const HeadRef head : candidates(alone, chosen)) {
    const SearcherStep step = judge(head, sums);
    if (!best || better(step, *best)) best = step;
  }
  if (best && !chosen.empty() && !better(*best, chosen.back())) return std::nullopt;
  return best;
}

}  // namespace carryover
