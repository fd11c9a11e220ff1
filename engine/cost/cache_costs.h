// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>

#include "engine/cost/policy_table.h"

/// Costs that policies with an attention window share. Pure; any thread.
namespace carryover {

/// Returns what `heads` query heads with `rows` rows of keys see if each query sees the text's first `sinks` tokens and
/// the last tokens of the attention window.
VisiblePrefix visible_in_window(const SegmentConfig& config, std::int64_t heads, std::int64_t rows, std::int64_t sinks,
                                std::int64_t first);

/// Returns the number of tokens that such heads hold at most before a segment.
std::int64_t most_in_window(const SegmentConfig& config, std::int64_t sinks);

}  // namespace carryover
