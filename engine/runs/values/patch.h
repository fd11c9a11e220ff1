// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "engine/runs/values/run_request.h"
#include "engine/runs/values/what_if.h"

namespace carryover {

/// Returns the reason why what `edit` patches in a segment of `run` can't be taken from the same segment of `source`,
/// and names what differs; empty if it can. Weights are compared elsewhere (inspection/replay_check.h). Any thread.
std::string patch_problem(const RunRequest& run, const RunRequest& source, std::int64_t segment,
                          const SegmentEdit& edit);

}  // namespace carryover
