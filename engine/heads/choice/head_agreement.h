// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <vector>

#include "engine/heads/choice/head_scores.h"

namespace carryover {

/// Returns all heads, best first; of equal heads the lower layer comes first, then the lower head.
std::vector<HeadRef> ranked_heads(const HeadScores& scores);

/// Returns Spearman's ρ of two tables of one shape; equal scores share their mean rank. Returns nothing if all scores
/// of a table are equal.
std::optional<double> rank_correlation(const HeadScores& a, const HeadScores& b);

/// Returns the share of a's `count` best heads that are among b's `count` best heads, too.
double top_overlap(const HeadScores& a, const HeadScores& b, std::size_t count);

/// Returns the long-range heads in long-range layers, by layer.
std::vector<HeadRef> retrieving_heads(const Grouping& grouping);

/// Returns the share of `wanted`'s retrieving heads that also retrieve under `grouping`, or nothing if there are none.
std::optional<double> shared_heads(const Grouping& wanted, const Grouping& grouping);

}  // namespace carryover
