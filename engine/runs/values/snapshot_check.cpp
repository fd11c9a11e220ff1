// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/values/snapshot_check.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "engine/base/error.h"
#include "engine/config/head_reads.h"

namespace carryover {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 56;
constexpr std::int64_t kMostMapEntries = std::int64_t{1} << 40;  ///< sums over millions of segments stay in 64 bits

[[noreturn]] void refuse_snapshot(const std::string& where, const std::string& problem) {
  throw EngineError(Fault::BadInput, where, problem, "Run the text again.");
}

void require(bool holds, const std::string& where, const std::string& problem) {
  if (!holds) refuse_snapshot(where, problem);
}

bool is_index(std::int64_t value, std::int64_t limit) {
  return value >= 0 && value < (limit > 0 ? limit : kMostLayersOrHeads);
}

bool is_possible_size(std::int64_t bytes) {
  return bytes > -kMostBytes && bytes < kMostBytes;
}

bool are_possible_sizes(const MemoryBytes& memory) {
  return std::all_of(kMemoryKinds.begin(), kMemoryKinds.end(),
                     [&](const MemoryKind& kind) { return is_possible_size(memory.*kind.bytes); });
}

bool are_possible(const SinkSummary& sinks) {
  double sum = 0;
  for (const double mass : {sinks.text_mass, sinks.carry_mass, sinks.segment_mass, sinks.largest_mass}) {
    if (!(mass >= 0)) return false;
    sum += mass;
  }
  return sum <= kMostSinkMass && std::isfinite(sinks.norm_ratio) && sinks.norm_ratio >= 0;
}

bool are_finite(const SegmentRecord& record) {
  if (!std::isfinite(record.seconds)) return false;
  const auto finite = [&](const TimePart& part) { return std::isfinite((*record.time).*part.seconds); };
  return !record.time || std::all_of(kTimeParts.begin(), kTimeParts.end(), finite);
}

}  // namespace

SnapshotLimits snapshot_limits(const ModelConfig& model, const SegmentConfig& config, std::int64_t tokens) {
  return {tokens, model.layers, model.heads, model.vocabulary, config.segment_length, carry_slots(config, model)};
}

void check_ids(std::span<const std::int32_t> ids, std::int64_t vocabulary, const std::string& where) {
  const auto outside = [&](std::int32_t id) { return id < 0 || (vocabulary > 0 && id >= vocabulary); };
  const auto found = std::find_if(ids.begin(), ids.end(), outside);
  require(found == ids.end(), where, "has a token outside the model's vocabulary");
}

void check_record(const SegmentRecord& record, SegmentPlace place, const SnapshotLimits& limits,
                  const std::string& where) {
  require(record.index == place.index && record.first_token == place.first_token && place.first_token >= 0, where,
          "a segment doesn't follow the one before it");
  require(place.first_token < limits.tokens && record.length > 0 && record.length <= limits.segment_length &&
              record.length <= limits.tokens - place.first_token,
          where, "a segment of " + std::to_string(record.length) + " tokens doesn't lie inside the text");
  require(record.targets >= 0 && record.targets <= record.length, where,
          std::to_string(record.targets) + " targets are more than the segment has");
  require(record.pool_entries >= 0 && record.pool_entries <= kMostMapEntries && record.near_ties >= 0 &&
              record.near_ties <= kMostMapEntries && are_possible_sizes(record.memory) && are_finite(record),
          where, "a segment's sizes or times are out of range");
  require(!record.sinks || are_possible(*record.sinks), where, "a segment's sinks are out of range");
}

void check_hits(const std::vector<HeadHits>& hits, SegmentPlace place, const SnapshotLimits& limits,
                const std::string& where) {
  std::set<std::pair<int, int>> heads;
  for (const HeadHits& head : hits) {
    require(head.segment == place.index, where, "hits belong to another segment");
    require(is_index(head.layer, limits.layers) && is_index(head.head, limits.heads), where,
            "layer " + std::to_string(head.layer) + ", head " + std::to_string(head.head) + " is not in the model");
    require(!head.shared || hits.size() == 1, where, "shared hits are combined with hits of single heads");
    require(heads.emplace(head.layer, head.head).second, where, "a head has two lists of hits");
    std::int64_t last = -1;
    for (const Hit& hit : head.hits) {
      require(hit.position > last && hit.position < place.first_token, where,
              "position " + std::to_string(hit.position) + " doesn't ascend, or is not before the segment");
      require(hit.kind <= HitKind::Padding, where, "a hit is of no known kind");
      require(hit.anchor >= -1 && hit.anchor < limits.tokens && hit.summary >= -1, where,
              "a hit's anchor or summary is not in the text");
      last = hit.position;
    }
  }
}

bool are_possible(std::span<const BriefHead> heads, SegmentPlace place, const SnapshotLimits& limits) {
  std::set<std::pair<int, int>> seen;
  for (const BriefHead& head : heads) {
    if (!is_index(head.layer, limits.layers) || !is_index(head.head, limits.heads)) return false;
    if (!seen.emplace(head.layer, head.head).second) return false;
    std::int64_t last = -1;
    for (const BriefHit hit : head.hits) {
      if (hit.position() <= last || hit.position() >= place.first_token || hit.kind() > HitKind::Padding) return false;
      last = hit.position();
    }
  }
  return true;
}

void check_map(const Map& map, std::int64_t rows, std::int64_t most_columns, const std::string& what,
               const std::string& where) {
  const auto size = static_cast<std::int64_t>(map.values.size());
  const std::int64_t most_rows = rows > 0 ? rows : kMostLayersOrHeads;
  const bool bounded = map.rows >= 0 && map.rows <= most_rows && map.columns >= 0 && map.columns <= most_columns;
  const bool fits = size == 0 ? map.rows == 0 || map.columns == 0
                              : map.rows > 0 && size % map.rows == 0 && size / map.rows == map.columns &&
                                    (rows == 0 || map.rows == rows);
  require(bounded && fits, where, what + " doesn't have the size of the model's layers and of its values");
}

void check_sinks(const Map& sinks, const SnapshotLimits& limits, const std::string& where) {
  check_map(sinks, limits.layers, std::ssize(kSinkColumns), "the map of sinks", where);
  require(sinks.values.empty() || are_possible(sinks), where, "the map of sinks has values that it can't have");
}

void check_snapshot(const SegmentSnapshot& snapshot, SegmentPlace place, const SnapshotLimits& limits,
                    const std::string& where) {
  check_record(snapshot.record, place, limits, where);
  require(std::ssize(snapshot.ids) == snapshot.record.length, where, "a segment has another number of ids than tokens");
  require(snapshot.target_nll.empty() || std::ssize(snapshot.target_nll) == snapshot.record.targets, where,
          "a segment has another number of losses than targets");
  check_hits(snapshot.hits, place, limits, where);
  check_map(snapshot.carry_key_norm, limits.layers, limits.carry_slots, "the map of key norms", where);
  check_map(snapshot.carry_value_norm, limits.layers, limits.carry_slots, "the map of value norms", where);
  check_map(snapshot.carry_drift, limits.layers, limits.carry_slots, "the map of drift", where);
  check_sinks(snapshot.sinks, limits, where);
}

}  // namespace carryover
