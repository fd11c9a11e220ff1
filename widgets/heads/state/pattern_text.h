// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include "engine/config/head_patterns.h"

namespace carryover {

// Patterns of heads in words. Pure; GUI thread.

QString pattern_kind_text(PatternKind kind);          ///< "vertical and slash"
QString pattern_text(const HeadPattern& pattern);     ///< "vertical and slash, 1000 columns, 6096 diagonals"
QString patterns_text(const HeadPatterns& patterns);  ///< how many are listed; without any, what every head has

/// Heads whose pattern is another one in `b`.
std::int64_t differing_patterns(const HeadPatterns& a, const HeadPatterns& b);

}  // namespace carryover
