// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/statistics/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "engine/base/error.h"

namespace carryover {
namespace {

/// Returns Σ of values[start .. start + count) around the circle. `sums`: sums[i] is the sum of the first i values.
double circular_sum(const std::vector<double>& sums, std::size_t start, std::size_t count) {
  const std::size_t size = sums.size() - 1, end = start + count;
  if (end <= size) return sums[end] - sums[start];
  return sums[size] - sums[start] + sums[end - size];
}

/// Returns a quantile of a sorted list, linear between neighbours.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

}  // namespace

MeanInterval bootstrap_mean(std::span<const float> values, const BootstrapPlan& plan) {
  CARRYOVER_CHECK(plan.block > 0 && plan.resamples > 0 && plan.level > 0 && plan.level < 1);
  if (values.empty()) return {};
  std::vector<double> sums{0};
  for (const float value : values) sums.push_back(sums.back() + static_cast<double>(value));
  const std::size_t size = values.size();
  if (std::ssize(values) < kFewestForInterval) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    return {sums.back() / static_cast<double>(size), kNone, kNone};
  }
  const std::size_t block = std::clamp<std::size_t>(size / 4, 1, static_cast<std::size_t>(plan.block));
  std::mt19937_64 random(plan.seed);
  std::vector<double> means;
  means.reserve(static_cast<std::size_t>(plan.resamples));
  for (int resample = 0; resample < plan.resamples; ++resample) {
    double sum = 0;
    for (std::size_t drawn = 0; drawn < size; drawn += block)
      sum += circular_sum(sums, random() % size, std::min(block, size - drawn));
    means.push_back(sum / static_cast<double>(size));
  }
  std::sort(means.begin(), means.end());
  return {sums.back() / static_cast<double>(size), quantile(means, (1 - plan.level) / 2),
          quantile(means, (1 + plan.level) / 2)};
}

}  // namespace carryover
