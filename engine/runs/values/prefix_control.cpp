// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/values/prefix_control.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "engine/base/error.h"
#include "engine/base/split_mix.h"

namespace carryover {

namespace {

constexpr std::array kSources = {PrefixSource::Search, PrefixSource::Off,      PrefixSource::Random,
                                 PrefixSource::Recent, PrefixSource::Constant, PrefixSource::Sinks,
                                 PrefixSource::Oracle};
constexpr std::array<std::string_view, kSources.size()> kNames = {"search",   "off",   "random", "recent",
                                                                  "constant", "sinks", "oracle"};

/// Draws `count` of 0..limit−1 without repeats; ascending (Floyd's method).
std::vector<std::int64_t> draw_positions(SplitMix& numbers, std::int64_t count, std::int64_t limit) {
  std::set<std::int64_t> chosen;
  for (std::int64_t top = limit - count; top < limit; ++top) {
    const auto drawn = static_cast<std::int64_t>(numbers.below(static_cast<std::uint64_t>(top + 1)));
    chosen.insert(chosen.contains(drawn) ? top : drawn);
  }
  return {chosen.begin(), chosen.end()};
}

/// Draws `count` positions of 0..limit−1 in whole windows without overlap; the lowest other positions fill up the rest.
std::vector<std::int64_t> draw_windows(SplitMix& numbers, std::int64_t count, std::int64_t limit, std::int64_t window) {
  const std::int64_t windows = count / window;
  std::set<std::int64_t> chosen;
  std::int64_t shift = 0;  // each window before this one counts as one drawn position
  for (const std::int64_t drawn : draw_positions(numbers, windows, limit - windows * (window - 1))) {
    for (std::int64_t i = 0; i < window; ++i) chosen.insert(drawn + shift + i);
    shift += window - 1;
  }
  for (std::int64_t position = 0; std::ssize(chosen) < count; ++position) chosen.insert(position);
  return {chosen.begin(), chosen.end()};
}

/// Returns the first `first` positions of 0..limit−1 and the last count − first ones.
std::vector<std::int64_t> ends_of(std::int64_t first, std::int64_t count, std::int64_t limit) {
  std::vector<std::int64_t> positions(static_cast<std::size_t>(count));
  const auto middle = positions.begin() + first;
  std::iota(positions.begin(), middle, 0);
  std::iota(middle, positions.end(), limit - (count - first));
  return positions;
}

/// Returns `count` of `pool` positions. `sinks`: number of first positions that PrefixSource::Sinks takes.
std::vector<std::int64_t> control_positions(PrefixSource control, SplitMix& numbers, std::int64_t count,
                                            std::int64_t pool, std::int64_t sinks) {
  switch (control) {
    case PrefixSource::Random:
      return draw_positions(numbers, count, pool);
    case PrefixSource::Recent:
      return ends_of(0, count, pool);
    case PrefixSource::Constant:
      return ends_of(count, count, pool);
    case PrefixSource::Sinks:
      return ends_of(std::min(sinks, count), count, pool);
    case PrefixSource::Search:
    case PrefixSource::Off:
    case PrefixSource::Oracle:
      break;
  }
  CARRYOVER_CHECK(false);
}

}  // namespace

std::span<const PrefixSource> prefix_sources() {
  return kSources;
}

std::string_view prefix_source_name(PrefixSource source) {
  return kNames.at(static_cast<std::size_t>(source));
}

std::optional<PrefixSource> prefix_source(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return kSources[static_cast<std::size_t>(found - kNames.begin())];
}

bool is_position_control(PrefixSource source) {
  return source == PrefixSource::Random || source == PrefixSource::Recent || source == PrefixSource::Constant ||
         source == PrefixSource::Sinks;
}

std::vector<std::string> run_prefix_names() {
  return {kNames.begin(), kNames.end() - 1};
}

std::vector<HeadHits> control_hits(PrefixSource control, const SegmentConfig& config, const ModelConfig& model,
                                   std::int64_t tokens, std::uint64_t seed) {
  require_lists(config, model, "the prefix " + std::string(prefix_source_name(control)));
  SplitMix numbers(seed);
  std::vector<HeadHits> all;
  for (std::int64_t segment = 1; segment * config.segment_length < tokens; ++segment) {
    for (HeadHits& list : hit_lists(config, model, segment)) {
      const std::int64_t first = config.sink_length;
      const std::int64_t carried = search_skips_carry(config, model, list) ? config.carry_length : 0;
      const std::int64_t pool = segment * config.segment_length - first - carried;
      const std::int64_t count = std::min(config.retrieval_length, pool);
      if (count <= 0) continue;
      const bool windows = control == PrefixSource::Random && config.retrieve == RetrieveBy::Windows;
      for (std::int64_t position :
           windows ? draw_windows(numbers, count, pool, config.window_length)
                   : control_positions(control, numbers, count, pool, std::max<std::int64_t>(0, kSinkTokens - first)))
        list.hits.push_back({first + position});
      all.push_back(std::move(list));
    }
  }
  return all;
}

}  // namespace carryover
