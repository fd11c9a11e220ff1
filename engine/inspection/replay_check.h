// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <vector>

#include "engine/runs/values/model_info.h"
#include "engine/runs/values/replay_request.h"

namespace carryover {

/// Bounds on how far a replay may differ from the record of the same run by the same weights in the same dtype. On one
/// machine with the same number of threads it does not differ, because the same sums are made in the same order;
/// another processor or number of threads changes that order. Each bound is above what the dtype's rounding causes, and
/// below what other weights or settings cause (docs/adr/0019).
struct ReplayBounds {
  double loss = 0;  ///< mean of |difference| over the segment's targets, nats
  double hits = 0;  ///< share of the retrieved positions that differ
};
ReplayBounds replay_bounds(DType dtype);

/// Throws EngineError{Usage} where the record was made with other weights (naming both hashes) or in another dtype.
void refuse_another_model(const std::optional<RecordedSegment>& record, const ModelInfo& model);

/// Throw EngineError{BadInput} where the replayed segment's hits or losses differ from its record.
void check_hits(const std::optional<RecordedSegment>& record, const std::vector<HeadHits>& hits, std::int64_t segment);
void check_losses(const std::optional<RecordedSegment>& record, const std::vector<float>& target_nll,
                  std::int64_t segment);

}  // namespace carryover
