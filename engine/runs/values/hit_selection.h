// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "engine/runs/values/hits.h"

namespace carryover {

/// A pool entry that one summary ranked among its k best.
struct Candidate {
  std::int64_t index;
  float score;
  int summary;
};

struct SelectionRule {
  std::int64_t anchors;                 ///< A
  std::int64_t expand_before;           ///< o⁻
  std::int64_t expand_after;            ///< o⁺
  std::int64_t length;                  ///< R
  std::vector<TokenRange> banned = {};  ///< positions that no slot may hold
};

/// Does steps 2 and 3 of retrieval (app:retrieval): union by best score → A best (ties: lower index) → expansion in
/// order of score, low offset to high, clamped, until R distinct → padding with the lowest unused → ascending. Returns
/// min(R, positions allowed) slots whose `position` is the pool index. An anchor that only another's expansion holds is
/// an anchor; one that got no slot before R ran out is not in the result, though slots that were expanded from it may
/// be. If summaries tie for an index, the lowest summary counts. Indices must lie in the pool (no -1 fill), scores must
/// not be NaN, and no candidate may be banned. Pure; any thread.
std::vector<Hit> select_hits(std::span<const Candidate> candidates, const SelectionRule& rule, std::int64_t pool_size);

}  // namespace carryover
