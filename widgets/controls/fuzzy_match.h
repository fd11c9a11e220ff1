// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <optional>

namespace carryover {

/// Returns how well `query` fits `text` as letters in order, spaces and case passed over: more for starts of words, for
/// letters that follow one another, and for short texts. Returns nothing if a letter is missing. An empty query fits
/// everything at 0.
std::optional<int> fuzzy_score(const QString& query, const QString& text);

}  // namespace carryover
