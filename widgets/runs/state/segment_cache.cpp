// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/state/segment_cache.h"

#include <iterator>

#include "widgets/runs/state/run_model.h"

namespace carryover {
namespace {

std::int64_t bytes_of(const SegmentSnapshot& snapshot) {
  std::size_t bytes = sizeof snapshot + snapshot.ids.size() * sizeof(std::int32_t);
  bytes += snapshot.target_nll.size() * sizeof(float);
  for (const HeadHits& head : snapshot.hits) bytes += sizeof head + head.hits.size() * sizeof(Hit);
  for (const Map* map : {&snapshot.carry_key_norm, &snapshot.carry_value_norm, &snapshot.carry_drift})
    bytes += map->values.size() * sizeof(float);
  return static_cast<std::int64_t>(bytes);
}

}  // namespace

SegmentCache::SegmentCache(const SegmentCache& other) {
  *this = other;
}

SegmentCache& SegmentCache::operator=(const SegmentCache& other) {
  if (this == &other) return *this;
  entries_ = other.entries_;
  bytes_ = other.bytes_;
  places_.clear();
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) places_[entry->segment] = entry;
  return *this;
}

std::shared_ptr<const SegmentSnapshot> SegmentCache::find(int segment) {
  const auto found = places_.find(segment);
  if (found == places_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->snapshot;
}

void SegmentCache::put(int segment, std::shared_ptr<const SegmentSnapshot> snapshot) {
  bytes_ += bytes_of(*snapshot);
  entries_.push_front({segment, std::move(snapshot)});
  places_[segment] = entries_.begin();
}

void SegmentCache::shrink(std::int64_t bytes, int spilled) {
  for (std::size_t passed_over = 0; bytes_ > bytes && entries_.size() > RunModel::least_cached;) {
    const auto last = std::prev(entries_.end());
    if (last->segment >= spilled) {
      if (++passed_over > RunModel::least_cached) return;  // the rest another time: an append must stay cheap
      entries_.splice(entries_.begin(), entries_, last);
      continue;
    }
    bytes_ -= bytes_of(*last->snapshot);
    places_.erase(last->segment);
    entries_.pop_back();
  }
}

}  // namespace carryover
