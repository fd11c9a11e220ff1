// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <vector>

#include "widgets/compare/state/run_comparison.h"

namespace carryover {

/// A line of two runs side by side, as text. A plain value.
struct ComparisonRow {
  enum class Part { Result, Setting };
  Part part = Part::Result;
  QString name, a, b;
  QString change;  ///< A against B; empty where there is nothing to subtract
};

/// Returns a row for each result of both runs (loss, speed, memory, hits), then one for each setting in which they
/// differ.
std::vector<ComparisonRow> comparison_rows(const RunComparison& comparison, const SegmentRange& range);

/// Says in a sentence if both runs read the same text and, if they do not, which part of them is compared.
QString text_note(const RunComparison& comparison);

}  // namespace carryover
