// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/prefix_control.h"

#include <algorithm>
#include <set>

namespace carryover {

namespace {

/// Numbers that follow from a seed alone (splitmix64).
class Counter {
 public:
  explicit Counter(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

/// `count` of 0..limit−1 without repeats, ascending (Floyd's method).
std::vector<std::int64_t> draw_positions(Counter& counter, std::int64_t count, std::int64_t limit) {
  std::set<std::int64_t> chosen;
  for (std::int64_t top = limit - count; top < limit; ++top) {
    const auto drawn = static_cast<std::int64_t>(counter.next() % static_cast<std::uint64_t>(top + 1));
    chosen.insert(chosen.contains(drawn) ? top : drawn);
  }
  return {chosen.begin(), chosen.end()};
}

std::vector<std::int64_t> last_positions(std::int64_t count, std::int64_t limit) {
  std::vector<std::int64_t> positions;
  for (std::int64_t position = limit - count; position < limit; ++position) positions.push_back(position);
  return positions;
}

}  // namespace

std::vector<HeadHits> control_hits(PrefixControl control, const SegmentConfig& config, const ModelConfig& model,
                                   std::int64_t tokens, std::uint64_t seed) {
  Counter counter(seed);
  std::vector<HeadHits> all;
  for (std::int64_t segment = 1; segment * config.segment_length < tokens; ++segment) {
    const std::int64_t pool = segment * config.segment_length, count = std::min(config.retrieval_length, pool);
    for (int layer = 0; layer < model.layers; ++layer) {
      if (!config.grouping.retrieves(layer)) continue;
      for (int head : config.grouping.long_heads(layer)) {
        HeadHits hits{segment, layer, head, {}};
        for (std::int64_t position :
             control == PrefixControl::Random ? draw_positions(counter, count, pool) : last_positions(count, pool))
          hits.hits.push_back({position});
        all.push_back(std::move(hits));
      }
    }
  }
  return all;
}

}  // namespace carryover
