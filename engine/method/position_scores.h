// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "engine/method/retrieval_pool.h"

namespace carryover {

/// The range of a pool's entries that is searched.
struct SearchedEntries {
  std::int64_t first = 0, count = 0;
};

/// Returns the score of each searched entry of a slot for one head (SearchScores, ADR 0028): the largest dot product of
/// its key with a summary of `queries`. Centred scores take the largest dot product with one of `queries`, of the key
/// minus the mean of the pool's keys behind the sinks. queries: [m', d], unrotated, the last min(L_q, m). The dot
/// products are in max(fp32, dtype). Thread: engine.
std::vector<double> position_scores(const SegmentConfig& config, const LayerPool& pool, std::int64_t slot,
                                    const at::Tensor& queries, SearchedEntries searched);

}  // namespace carryover
