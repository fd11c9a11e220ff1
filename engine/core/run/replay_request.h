// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/base/dtype.h"
#include "engine/core/run/inspection.h"
#include "engine/core/run/run_request.h"
#include "engine/core/run/what_if.h"

namespace carryover {

/// What a run's record says of one segment. A replay that is given it compares before it shows anything, and throws
/// EngineError{Usage} where the session has other weights (naming both hashes) or another dtype, {BadInput} where the
/// un-edited segment comes out with other losses or hits (by how much, and what is allowed: eval/replay_check.h).
struct RecordedSegment {
  std::string weights_hash;  ///< ModelInfo's of the run
  DType dtype = DType::Float32;
  std::vector<float> target_nll;  ///< of the segment; empty: the record has no losses
  std::vector<HeadHits> hits;     ///< of the segment; empty: the record has no hits
};

/// Another run of the same weights, whose values patches take. What is given as its record is compared, too.
struct PatchSource {
  RunRequest run;
  std::optional<RecordedSegment> record = std::nullopt;
};

/// Segment `segment` of `run` again, under each of `edits`. States that a run with the same values left are used; what
/// was not kept is run again first.
struct WhatIfRequest {
  RunRequest run;
  std::int64_t segment = 0;
  std::vector<SegmentEdit> edits;
  std::optional<RecordedSegment> record = std::nullopt;  ///< none: nothing is compared
  std::optional<PredictionQuestion> prediction = {};     ///< of the segment, for each outcome
  std::optional<PatchSource> patch_source = {};          ///< for edits that patch: the same segment of this one
};

/// What the segment was without an edit, and where the replay began.
struct WhatIfBase {
  std::int64_t first_token = 0;
  std::int64_t segments_run = 0;  ///< before the first outcome
  WhatIfOutcome as_it_was;
};
using WhatIfDone = std::function<void(std::size_t edit, const WhatIfOutcome& outcome)>;

struct InspectRequest {
  RunRequest run;
  std::int64_t segment = 0;
  InspectionParts parts;
  std::optional<RecordedSegment> record = std::nullopt;  ///< none: nothing is compared
};

}  // namespace carryover
