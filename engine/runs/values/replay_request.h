// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/dtype.h"
#include "engine/runs/values/inspection.h"
#include "engine/runs/values/run_request.h"
#include "engine/runs/values/what_if.h"

namespace carryover {

/// The record of one segment of a run. A replay that is given it compares before it shows anything. It throws
/// EngineError{Usage} if the session has other weights (naming both hashes) or another dtype, and {BadInput} if the
/// segment without an edit has other losses or hits (naming the difference and what is allowed:
/// inspection/replay_check.h).
struct RecordedSegment {
  std::string weights_hash;  ///< ModelInfo::weights_hash of the run
  DType dtype = DType::Float32;
  std::vector<float> target_nll;  ///< losses of the segment; empty: the record has none
  std::vector<HeadHits> hits;     ///< hits of the segment; empty: the record has none
};

/// Another run of the same weights, from which patches take values. If its record is given, it is compared, too.
struct PatchSource {
  RunRequest run;
  std::optional<RecordedSegment> record = std::nullopt;
};

/// Runs segment `segment` of `run` again under each of `edits`. States that a run with the same values left are used;
/// if a state was not kept, the segments before are run again first.
struct WhatIfRequest {
  RunRequest run;
  std::int64_t segment = 0;
  std::vector<SegmentEdit> edits;
  std::optional<RecordedSegment> record = std::nullopt;  ///< none: nothing is compared
  std::optional<PredictionQuestion> prediction = {};     ///< prediction of the segment to show in each outcome
  std::optional<PatchSource> patch_source = {};          ///< for edits that patch: run whose segment of this number is
                                                         ///< the source
};

/// The segment without an edit, and where the replay began.
struct WhatIfBase {
  std::int64_t first_token = 0;
  std::int64_t segments_run = 0;  ///< segments that were run before the first outcome
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
