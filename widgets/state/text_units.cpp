// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/state/text_units.h"

#include <algorithm>

namespace carryover {
namespace {

bool ends_sentence(const QString& token) {
  qsizetype end = token.size();
  while (end > 0 && QStringLiteral(" \n\t\"'”’»)]*_").contains(token[end - 1])) --end;
  return end > 0 && QStringLiteral(".!?…。！？").contains(token[end - 1]);
}

bool is_only_quotes(const QString& token) {
  return !token.isEmpty() && std::all_of(token.begin(), token.end(),
                                         [](QChar letter) { return QStringLiteral("\"'”’»)]*_").contains(letter); });
}

}  // namespace

bool TextUnits::starts_unit(std::int64_t token, TextUnit unit) const {
  if (unit == TextUnit::Token || token % most_tokens == 0) return true;
  const QString before = run_.token_text(token - 1), here = run_.token_text(token);
  const bool behind_space =
      (!here.isEmpty() && here.front().isSpace()) || (!before.isEmpty() && before.back().isSpace());
  if (unit == TextUnit::Word) return behind_space;
  if (unit == TextUnit::Line) return before.contains(u'\n');
  if (before.contains(QStringLiteral("\n\n")) || (before.endsWith(u'\n') && here.startsWith(u'\n'))) return true;
  if (!behind_space) return false;
  std::int64_t end = token - 1;  // a mark may stand before its quotes
  while (end % most_tokens != 0 && is_only_quotes(run_.token_text(end))) --end;
  return ends_sentence(run_.token_text(end));
}

TokenRange TextUnits::around(std::int64_t token, TextUnit unit) const {
  if (token < 0 || token >= run_.token_count()) return {};
  if (unit == TextUnit::Segment) {
    const std::int64_t length = run_.request().config.segment_length, first = token / length * length;
    return {first, std::min(first + length, run_.token_count())};
  }
  TokenRange range{token, token + 1};
  while (range.first > 0 && !starts_unit(range.first, unit)) --range.first;
  while (range.last < run_.token_count() && !starts_unit(range.last, unit)) ++range.last;
  return range;
}

QString text_around(const RunModel& run, std::int64_t position, int before, int after) {
  QString text;
  const std::int64_t end = std::min(run.token_count(), position + after + 1);
  for (std::int64_t i = std::max<std::int64_t>(0, position - before); i < end; ++i) {
    const QString token = run.token_text(i);
    text += i == position ? QStringLiteral("⟦%1⟧").arg(token) : token;
  }
  return text.replace(QLatin1Char('\n'), QChar(0x23ce));
}

}  // namespace carryover
