// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <vector>

#include "engine/runs/values/snapshot.h"

namespace carryover {

/// The segments of a run that are kept somewhere, mostly on disk, and are loaded one at a time. Any thread.
class SegmentSource {
 public:
  virtual ~SegmentSource() = default;
  virtual int count() const = 0;  ///< number of segments that can be loaded; grows while a run is written
  /// Loads a segment; `segment` < count(). Throws EngineError{Io, BadInput} if the file has been cut, damaged or
  /// removed.
  virtual std::shared_ptr<const SegmentSnapshot> load(int segment) const = 0;
};

/// Segments that are in memory already.
class HeldSegments : public SegmentSource {
 public:
  explicit HeldSegments(std::vector<std::shared_ptr<const SegmentSnapshot>> segments)
      : segments_(std::move(segments)) {}
  int count() const override { return static_cast<int>(segments_.size()); }
  std::shared_ptr<const SegmentSnapshot> load(int segment) const override {
    return segments_[static_cast<std::size_t>(segment)];
  }

 private:
  std::vector<std::shared_ptr<const SegmentSnapshot>> segments_;
};

}  // namespace carryover
