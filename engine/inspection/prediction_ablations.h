// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/inspection/replay.h"
#include "engine/runs/values/inspection.h"

namespace carryover {

/// Runs the replay's segment from `before`, and then again without each part that heads read there; compares one
/// prediction. `target`: the id that the question's token predicts. Thread: engine.
PredictionAblations ablate_prediction(Replay& replay, const PolicyState& before, const PredictionQuestion& question,
                                      std::int32_t target);
}  // namespace carryover
