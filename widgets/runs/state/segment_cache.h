// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <list>
#include <memory>
#include <unordered_map>

#include "engine/runs/values/snapshot.h"

namespace carryover {

/// Whole segments in memory, those asked for last in front. A plain value; GUI thread.
class SegmentCache {
 public:
  SegmentCache() = default;
  SegmentCache(const SegmentCache& other);
  SegmentCache& operator=(const SegmentCache& other);

  std::shared_ptr<const SegmentSnapshot> find(int segment);  ///< null where it isn't here; else it comes to the front
  void put(int segment, std::shared_ptr<const SegmentSnapshot> snapshot);  ///< one that isn't here
  /// Lets go of what was not asked for longest, down to `bytes`, but for RunModel::least_cached of them and for those
  /// from `spilled` on, which nothing else has.
  void shrink(std::int64_t bytes, int spilled);
  std::int64_t bytes() const { return bytes_; }

 private:
  struct Entry {
    int segment;
    std::shared_ptr<const SegmentSnapshot> snapshot;
  };
  std::list<Entry> entries_;  ///< front: asked for last
  std::unordered_map<int, std::list<Entry>::iterator> places_;
  std::int64_t bytes_ = 0;
};

}  // namespace carryover
