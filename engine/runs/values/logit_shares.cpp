// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/values/logit_shares.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace carryover {

namespace {

template <typename Share>
std::vector<Share> largest(std::vector<Share> shares, std::int64_t count) {
  std::ranges::stable_sort(shares, std::greater(), [](const Share& share) { return std::abs(share.logit); });
  if (std::ssize(shares) > count) shares.resize(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
  return shares;
}

}  // namespace

std::vector<HeadShare> largest_heads(const LogitAttribution& attribution, std::int64_t count) {
  std::vector<HeadShare> shares;
  for (int layer = 0; layer < attribution.segment.rows; ++layer)
    for (int head = 0; head < attribution.segment.columns; ++head) {
      const auto part = [&](const Map& map) { return static_cast<double>(map.at(layer, head)); };
      HeadShare share{{layer, head},           0,
                      part(attribution.sinks), part(attribution.retrieved),
                      part(attribution.carry), part(attribution.segment)};
      share.logit = share.sinks + share.retrieved + share.carry + share.segment;
      shares.push_back(share);
    }
  return largest(std::move(shares), count);
}

std::vector<SourceShare> largest_sources(const TokenSources& sources, std::int64_t count) {
  std::vector<SourceShare> shares;
  for (std::size_t i = 0; i < sources.positions.size(); ++i)
    shares.push_back({sources.positions[i], static_cast<double>(sources.logit[i])});
  return largest(std::move(shares), count);
}

std::optional<std::int64_t> settled_from(const std::vector<LensReading>& readings) {
  std::optional<std::int64_t> first;
  for (std::int64_t i = 0; i < std::ssize(readings); ++i) {
    const bool likeliest = readings[static_cast<std::size_t>(i)].rank == 0;
    if (!likeliest)
      first.reset();
    else if (!first)
      first = i;
  }
  return first;
}

}  // namespace carryover
