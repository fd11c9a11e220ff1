// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <vector>

#include "engine/core/run/model_info.h"
#include "engine/core/run/replay_request.h"

namespace carryover {

/// How far a replay may be from the record of the same run by the same weights in the same dtype. On one machine with
/// as many threads it is not far at all: the same sums are made in the same order. Another processor, or another number
/// of threads, orders them otherwise. Each bound is above what the dtype's own rounding does, and below what other
/// weights or settings do (docs/adr/0019).
struct ReplayBounds {
  double loss = 0;  ///< mean of |difference| over the segment's targets, nats
  double hits = 0;  ///< share of the retrieved positions that are others
};
ReplayBounds replay_bounds(DType dtype);

/// Throws EngineError{Usage} where the record was made with other weights, naming both hashes, or in another dtype.
void refuse_another_model(const std::optional<RecordedSegment>& record, const ModelInfo& model);

/// Throw EngineError{BadInput} where the segment as it was has other hits, or other losses, than its record.
void check_hits(const std::optional<RecordedSegment>& record, const std::vector<HeadHits>& hits, std::int64_t segment);
void check_losses(const std::optional<RecordedSegment>& record, const std::vector<float>& target_nll,
                  std::int64_t segment);

}  // namespace carryover
