// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/runs/values/replay_request.h"
#include "engine/runs/values/snapshot_check.h"
#include "engine/runs/values/sweep.h"
#include "engine/training/records/training_values.h"

/// Checks of the answers of an engine on another machine, before a view indexes with them. Losses, masses and scores
/// may have any value; heads, positions, ids and sizes may not. All throw EngineError{BadInput}. Any thread.
namespace carryover {

/// Checks the outcome of running segment `place.index` again, with an edit or unchanged.
void check_outcome(const WhatIfOutcome& outcome, SegmentPlace place, const SnapshotLimits& limits);

/// Checks what the cells of a sweep are compared with.
void check_sweep(const SweepBase& base, const SnapshotLimits& limits);

/// Checks the answer to `request`, for a model that `limits` describes.
void check_inspection(const Inspection& inspection, const InspectRequest& request, const SnapshotLimits& limits);

/// Checks a step of a training on samples of `limits.tokens` tokens, with its segments where it has some.
void check_step(const StepSnapshot& step, const SnapshotLimits& limits);

}  // namespace carryover
