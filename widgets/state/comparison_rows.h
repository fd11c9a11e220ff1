// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <vector>

#include "widgets/state/run_comparison.h"

namespace carryover {

/// A line of two runs side by side, as text. A plain value.
struct ComparisonRow {
  enum class Part { Result, Setting };
  Part part = Part::Result;
  QString name, a, b;
  QString change;  ///< A against B; empty where there is nothing to subtract
};

/// What came of both runs: loss, speed, memory, hits. Then the settings, but only those that differ.
std::vector<ComparisonRow> comparison_rows(const RunComparison& comparison, const SegmentRange& range);

/// In a sentence: whether both read the same text, and what of them is compared where they don't.
QString text_note(const RunComparison& comparison);

}  // namespace carryover
