// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/controls/fuzzy_match.h"

#include <algorithm>
#include <vector>

namespace carryover {
namespace {

constexpr int impossible = -1'000'000;
constexpr int word_start = 8, follows = 6, plain = 1, gap = 1;

bool starts_word(const QString& text, qsizetype at) {
  if (at == 0) return true;
  const QChar before = text[at - 1], here = text[at];
  return !before.isLetterOrNumber() || (before.isLower() && here.isUpper()) || (before.isLetter() && here.isDigit());
}

}  // namespace

// best[j]: the best score of the letters so far whose last one stands at j.
std::optional<int> fuzzy_score(const QString& query, const QString& text) {
  std::vector<int> best;
  for (const QChar wanted : query) {
    if (wanted.isSpace()) continue;
    std::vector<int> next(static_cast<std::size_t>(text.size()), impossible);
    int reachable = best.empty() ? 0 : impossible;  // the best of those that end before j, less what lies between
    for (qsizetype j = 0; j < text.size(); ++j) {
      const auto at = static_cast<std::size_t>(j);
      if (text[j].toCaseFolded() == wanted.toCaseFolded()) {
        const int value = starts_word(text, j) ? word_start : plain;
        next[at] = reachable > impossible ? reachable + value : impossible;
        if (!best.empty() && j > 0 && best[at - 1] > impossible)
          next[at] = std::max(next[at], best[at - 1] + follows + value);
      }
      if (reachable > impossible && !best.empty()) reachable -= gap;
      if (!best.empty()) reachable = std::max(reachable, best[at] > impossible ? best[at] - gap : impossible);
    }
    best = std::move(next);
  }
  if (best.empty()) return query.trimmed().isEmpty() ? std::optional(0) : std::nullopt;
  const int score = *std::max_element(best.begin(), best.end());
  if (score <= impossible / 2) return std::nullopt;
  return score * 4 - static_cast<int>(text.size());
}

}  // namespace carryover
