// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "engine/cost/policy_table.h"

/// Costs that policies with caches share, for their rows. Pure; any thread.
namespace carryover {

/// Every head sees the whole past: PolicyRow::visible_globally, and the memory of the caches that hold it.
std::vector<VisiblePrefix> visible_past(const ModelConfig& model, const SegmentConfig& config, int layer,
                                        std::int64_t first);
MemoryBytes memory_of_past(const CostModel& cost, std::int64_t tokens, RunUse use);

/// Returns what `heads` query heads with `rows` rows of keys see if each query sees the text's first `sinks` tokens and
/// the last tokens of the attention window.
VisiblePrefix visible_in_window(const SegmentConfig& config, std::int64_t heads, std::int64_t rows, std::int64_t sinks,
                                std::int64_t first);

/// Returns the number of tokens that such heads hold at most before a segment.
std::int64_t most_in_window(const SegmentConfig& config, std::int64_t sinks);

}  // namespace carryover
