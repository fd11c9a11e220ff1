// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <vector>

#include "engine/core/analysis/head_scores.h"

namespace carryover {

/// All heads, best first; of equal ones the lower layer, then the lower head.
std::vector<HeadRef> ranked_heads(const HeadScores& scores);

/// Spearman's ρ of two tables of one shape; equal scores share their mean rank. None where either has one value only.
std::optional<double> rank_correlation(const HeadScores& a, const HeadScores& b);

/// The share of a's `count` best heads that are among b's too.
double top_overlap(const HeadScores& a, const HeadScores& b, std::size_t count);

/// Long-range heads in long-range layers, by layer.
std::vector<HeadRef> retrieving_heads(const Grouping& grouping);

/// The share of `wanted`'s retrieving heads that retrieve under `grouping` too; none where there are none.
std::optional<double> shared_heads(const Grouping& wanted, const Grouping& grouping);

}  // namespace carryover
