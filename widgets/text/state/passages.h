// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <vector>

#include "engine/runs/values/what_if.h"
#include "widgets/runs/state/run_model.h"

namespace carryover {

/// A piece of the text that was retrieved: a window, or an anchor with what was expanded from it. A plain value.
struct Passage {
  std::int64_t first = 0, end = 0;  ///< positions [first, end)
  std::int64_t anchor = 0;          ///< the position that scored best
  float score = 0;
  std::vector<SlotRef> held;  ///< the slots that hold it
};

/// Returns the passages that a list of hits consists of, best score first. Padding belongs to none of them.
std::vector<Passage> passages_of(const HeadHits& hits);
/// Returns the passage's text on one line, with line breaks shown as ⏎.
QString passage_text(const RunModel& run, const Passage& passage);

/// Return the positions of one passage, or of all others: positions of another passage may lie between those of an
/// anchor.
std::vector<TokenRange> positions_of(const Passage& passage);
std::vector<TokenRange> positions_of_others(const std::vector<Passage>& all, std::size_t kept);
/// Return an edit that leaves one passage, or all others, out of what is read.
SegmentEdit without_passage(const Passage& passage);
SegmentEdit only_passage(const std::vector<Passage>& all, std::size_t kept);

}  // namespace carryover
