// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <vector>

#include "widgets/runs/state/run_model.h"

namespace carryover {

/// The number of needle tokens that one head's list has.
struct NeedleFind {
  int layer = 0, head = 0;
  std::int64_t found = 0;  ///< tokens
};

/// The segment that predicts the first token of an answer.
int segment_of_answer(const RunModel& run, const TokenRange& answer);

/// Tokens of `needles` that stand before a segment: those that retrieval can find for it.
std::int64_t findable_tokens(const RunModel& run, int segment, const std::vector<TokenRange>& needles);

/// A find for each list that the segment reads, best first, then by layer and head. Heads that share one list are the
/// first searcher.
std::vector<NeedleFind> needle_finds(const RunModel& run, int segment, const std::vector<TokenRange>& needles);

/// Says the same in a line for people: which heads' lists had the needle, or why that cannot be said.
QString needle_text(const RunModel& run, const std::vector<TokenRange>& needles, const TokenRange& answer);

}  // namespace carryover
