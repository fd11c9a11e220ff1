// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/run/replay_request.h"
#include "engine/core/run/snapshot_check.h"
#include "engine/core/run/training_values.h"

/// Checks of what an engine on another machine answers, before a view indexes with it. Values of losses, masses and
/// scores may be anything; heads, positions, ids and sizes may not. All throw EngineError{BadInput}. Any thread.
namespace carryover {

/// Segment `place.index` again, under an edit or as it was.
void check_outcome(const WhatIfOutcome& outcome, SegmentPlace place, const SnapshotLimits& limits);

/// What `request` asks for, of a model that `limits` describes.
void check_inspection(const Inspection& inspection, const InspectRequest& request, const SnapshotLimits& limits);

/// A step of a training on samples of `limits.tokens` tokens, with its segments where it has some.
void check_step(const StepSnapshot& step, const SnapshotLimits& limits);

}  // namespace carryover
