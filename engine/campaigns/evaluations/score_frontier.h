// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/campaigns/evaluations/evaluation_watch.h"
#include "engine/campaigns/evaluations/score_interval.h"

namespace carryover {

/// The score of a policy at a length, and the attention-visible KV that it needs. A plain value.
struct FrontierPoint {
  std::size_t column = 0;          ///< of the policy
  std::int64_t length = 0;         ///< tokens; 0: samples are as long as they are
  std::size_t samples = 0;         ///< number of scored samples, over all tasks
  std::int64_t visible_bytes = 0;  ///< largest
  ScoreInterval score;             ///< of the task's metric; for several tasks, the mean
};

/// Returns a point for each policy and length of `row`'s task, policy by policy, lengths ascending; with `all_tasks`,
/// for the mean over all tasks that have its metric. If one of them has no score yet, there is no point, because means
/// over other tasks do not compare. The 95 % interval of a mean over several shares is Wilson's, for the number of
/// samples that a mean with equal weights is worth; any other interval is normal, from the standard errors. Pure; any
/// thread.
std::vector<FrontierPoint> score_frontier(const EvaluationNews& news, std::size_t row, bool all_tasks);

}  // namespace carryover
