// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/evaluations/score_interval.h"

#include <algorithm>
#include <cmath>

#include "engine/base/split_mix.h"
#include "engine/statistics/cluster_bootstrap.h"
#include "engine/statistics/share_interval.h"
#include "engine/tasks/scores/metric_table.h"

namespace carryover {

namespace {

constexpr int kMeanResamples = 10'000;
constexpr std::uint64_t kSeed = 1;
constexpr double kOutside = 0.025;  ///< share of resamples on either side of an interval

/// Returns the values of one score in all samples, or nothing where a sample lacks it.
std::optional<std::vector<double>> values_of(const std::vector<Scores>& scores, const std::string& name) {
  std::vector<double> values;
  for (const Scores& sample : scores) {
    const auto found = sample.find(name);
    if (found == sample.end()) return std::nullopt;
    values.push_back(found->second);
  }
  return values;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double deviation_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

bool is_mean(double score, const std::vector<double>& values) {
  const double mean = mean_of(values);
  return std::fabs(score - mean) <= 1e-12 * std::max(1.0, std::fabs(mean));
}

/// A share's is Wilson's, whatever else a journal's scores may claim to be has a bootstrap's; nothing for few samples.
std::optional<MeanInterval> interval_of_mean(const std::string& name, double mean, const std::vector<double>& values) {
  const bool share =
      is_share(name) && std::ranges::all_of(values, [](double value) { return value >= 0 && value <= 1; });
  MeanInterval interval = share ? wilson_interval(std::clamp(mean, 0.0, 1.0), static_cast<double>(values.size()))
                                : bootstrap_clusters(values, kMeanResamples).interval;
  interval.mean = mean;
  return interval.has_bounds() ? std::optional(interval) : std::nullopt;
}

/// Linear between neighbours of a sorted list.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  return std::lerp(sorted[below], sorted[std::min(below + 1, sorted.size() - 1)], place - static_cast<double>(below));
}

/// Returns each score's values over resamples, which draw as many samples again, in circular blocks of neighbours.
std::map<std::string, std::vector<double>> resampled(const Task& task, const std::vector<Scores>& scores) {
  constexpr std::size_t kMostDraws = 2'000'000, kLeast = 200, kMost = 2000, kBlock = 32;
  const std::size_t size = scores.size();
  const bool neighbours = task.info().kind == TaskKind::Perplexity;
  const std::size_t block = neighbours ? std::clamp<std::size_t>(size / 4, 1, kBlock) : 1;
  SplitMix random(kSeed);
  std::map<std::string, std::vector<double>> values;
  for (std::size_t left = std::clamp(kMostDraws / size, kLeast, kMost); left > 0; --left) {
    std::vector<Scores> drawn;
    drawn.reserve(size);
    while (drawn.size() < size) {
      const std::size_t first = random.below(size);
      for (std::size_t i = 0; i < block && drawn.size() < size; ++i) drawn.push_back(scores[(first + i) % size]);
    }
    for (const auto& [name, score] : task.aggregate(drawn)) values[name].push_back(score);
  }
  return values;
}

}  // namespace

std::map<std::string, ScoreInterval> score_intervals(const Task& task, const std::vector<Scores>& scores) {
  std::map<std::string, ScoreInterval> intervals;
  if (scores.empty()) return intervals;
  std::map<std::string, std::vector<double>> others;
  for (const auto& [name, score] : task.aggregate(scores)) {
    ScoreInterval& result = intervals[name];
    result.score = score;
    if (scores.size() < 2 || !std::isfinite(score)) continue;
    const auto values = values_of(scores, name);
    if (task.info().kind != TaskKind::Perplexity && values && is_mean(score, *values)) {
      result.error = deviation_of(*values) / std::sqrt(static_cast<double>(values->size()));
      result.interval = interval_of_mean(name, score, *values);
      continue;
    }
    if (others.empty()) others = resampled(task, scores);
    std::vector<double>& drawn = others[name];
    std::erase_if(drawn, [](double value) { return !std::isfinite(value); });
    if (drawn.size() < 2) continue;
    std::ranges::sort(drawn);
    result.error = deviation_of(drawn);
    if (std::ssize(scores) >= kFewestForInterval)
      result.interval = MeanInterval{score, quantile(drawn, kOutside), quantile(drawn, 1 - kOutside)};
  }
  return intervals;
}

}  // namespace carryover
