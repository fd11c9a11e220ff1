// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <map>
#include <set>

#include "engine/inspection/replay.h"
#include "engine/runs/values/replay_request.h"

namespace carryover {

/// The values that patches take from one segment of a run: the carry into it, and what points of its layers had. The
/// run is replayed to the segment through the same forward map, so that the values are those that it had. Thread:
/// engine.
class PatchValues {
 public:
  /// Replays the run, and keeps the values of `places`. Throws EngineError{BadInput} where the replay does not
  /// reproduce the run's record. Borrows its arguments during this call only.
  PatchValues(const Decoder& decoder, const PatchSource& source, std::int64_t segment, const std::set<PointRef>& places,
              RunControl& control, StateArchive& archive);

  const CarriedState& carry() const { return carry_; }
  std::int64_t segments_run() const { return segments_run_; }
  /// Returns the values of one of the places, one row for each token of the segment.
  const at::Tensor& at(PointRef place) const { return values_.at(place); }

 private:
  std::int64_t segments_run_ = 0;
  CarriedState carry_;
  std::map<PointRef, at::Tensor> values_;
};

/// Throws EngineError{BadInput} where what `edit` patches can't be taken from the source.
void check_patch(const PatchSource& source, const RunRequest& run, std::int64_t segment, const SegmentEdit& edit);

}  // namespace carryover
