// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "engine/core/run/run_request.h"
#include "engine/core/run/what_if.h"

namespace carryover {

/// Returns the reason why what `edit` patches in a segment of `run` can't be taken from the same segment of `source`,
/// and names what differs; empty if it can. Weights are compared elsewhere (eval/replay_check.h). Any thread.
std::string patch_problem(const RunRequest& run, const RunRequest& source, std::int64_t segment,
                          const SegmentEdit& edit);

}  // namespace carryover
