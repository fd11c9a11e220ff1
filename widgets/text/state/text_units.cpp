// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/state/text_units.h"

#include <algorithm>
#include <string>

#include "engine/tokenizers/tokenizer.h"

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

std::string bytes_of(const RunModel& run, std::int64_t token) {
  if (!run.tokenizer()) return run.token_text(token).toStdString();
  return run.tokenizer()->bytes((*run.request().ids)[static_cast<std::size_t>(token)]);
}

/// The token goes on with a character that an earlier one began.
bool starts_inside_character(const RunModel& run, std::int64_t token) {
  if (token <= 0 || token >= run.token_count()) return false;
  const std::string bytes = bytes_of(run, token);
  return !bytes.empty() && (static_cast<unsigned char>(bytes.front()) & 0xC0) == 0x80;
}

/// A character of UTF-8 has at most four bytes, and so at most four tokens.
TokenRange with_whole_characters(const RunModel& run, TokenRange range) {
  constexpr int most_more = 3;
  for (int i = 0; i < most_more && starts_inside_character(run, range.first); ++i) --range.first;
  for (int i = 0; i < most_more && starts_inside_character(run, range.last); ++i) ++range.last;
  return range;
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

QString whole_text(const RunModel& run, TokenRange range) {
  range = {std::max<std::int64_t>(0, range.first), std::min(range.last, run.token_count())};
  if (range.first >= range.last) return {};
  range = with_whole_characters(run, range);
  std::string bytes;
  for (std::int64_t token = range.first; token < range.last; ++token) bytes += bytes_of(run, token);
  return QString::fromStdString(bytes);
}

QString text_around(const RunModel& run, std::int64_t position, int before, int after) {
  if (position < 0 || position >= run.token_count()) return {};
  const TokenRange marked = with_whole_characters(run, {position, position + 1});
  QString text = whole_text(run, {marked.first - before, marked.first}) +
                 QStringLiteral("⟦%1⟧").arg(whole_text(run, marked)) +
                 whole_text(run, {marked.last, marked.last + after});
  return text.replace(QLatin1Char('\n'), QChar(0x23ce));
}

}  // namespace carryover
