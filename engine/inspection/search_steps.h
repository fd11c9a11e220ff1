// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/inspection/replay.h"
#include "engine/runs/values/inspection.h"

namespace carryover {

/// Returns how a long head's prefix for the replayed segment was found (app:retrieval). For its tail queries, the
/// segment before is run again. `before`: the state at the replayed segment. Throws EngineError{BadInput} where the
/// head retrieves nothing for it.
SearchSteps search_steps(Replay& replay, const PolicyState& before, HeadRef head);

}  // namespace carryover
