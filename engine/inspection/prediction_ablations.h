// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <set>

#include "engine/inspection/replay.h"
#include "engine/runs/values/inspection.h"

namespace carryover {

/// Adds the parts of the prefixes that a layer's heads read.
void note_parts(const LayerSight& sight, std::set<PrefixPart>& read);

/// Runs the replay's segment from `before` without each part that heads `read` there, and compares one prediction.
/// hidden: [m, D] of the segment as it was. Thread: engine.
PredictionAblations ablate_prediction(Replay& replay, const PolicyState& before, const PredictionQuestion& question,
                                      const at::Tensor& hidden, const std::set<PrefixPart>& read);
}  // namespace carryover
