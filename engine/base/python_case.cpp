// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/python_case.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "engine/base/unicode_tables.h"

namespace carryover {

bool unicode_tables::holds(const std::vector<char32_t>& changes, char32_t c) {
  return (std::ranges::upper_bound(changes, c) - changes.begin()) % 2 == 1;
}

namespace {

using unicode_tables::holds;

constexpr char32_t kCapitalSigma = 0x3A3, kSigma = 0x3C3, kFinalSigma = 0x3C2, kCapitalDottedI = 0x130;

/// Returns the other form of a character if it lies in these runs, else the character.
char32_t moved(char32_t c, const std::vector<unicode_tables::CaseRun>& runs) {
  const auto behind = std::ranges::upper_bound(runs, c, {}, &unicode_tables::CaseRun::first);
  if (behind == runs.begin()) return c;
  const auto& run = *std::prev(behind);
  if (c > run.last || (c - run.first) % run.step != 0) return c;
  return static_cast<char32_t>(static_cast<std::int64_t>(c) + run.offset);
}

/// Returns true if the first character that is not case-ignorable has a case.
template <typename Iterator>
bool meets_cased(Iterator first, Iterator last) {
  while (first != last && holds(unicode_tables::case_ignorable(), *first)) ++first;
  return first != last && holds(unicode_tables::cased(), *first);
}

/// Returns the lower-case form of a sigma, which is another one at the end of a word.
char32_t lower_sigma(std::u32string_view text, std::size_t at) {
  const std::u32string_view before = text.substr(0, at), behind = text.substr(at + 1);
  const bool final = meets_cased(before.rbegin(), before.rend()) && !meets_cased(behind.begin(), behind.end());
  return final ? kFinalSigma : kSigma;
}

void append_lower(std::u32string& made, std::u32string_view text, std::size_t at) {
  if (text[at] < 0x80)
    made += text[at] >= U'A' && text[at] <= U'Z' ? text[at] + 0x20 : text[at];
  else if (text[at] == kCapitalDottedI)
    made += U"i\u0307";
  else
    made += text[at] == kCapitalSigma ? lower_sigma(text, at) : moved(text[at], unicode_tables::lower_runs());
}

void append_upper(std::u32string& made, char32_t c, bool begins_word) {
  if (c < 0x80) {
    made += c >= U'a' && c <= U'z' ? c - 0x20 : c;
    return;
  }
  const auto& special = unicode_tables::special_upper();
  const auto found = std::ranges::lower_bound(special, c, {}, &unicode_tables::SpecialUpper::character);
  if (found != special.end() && found->character == c)
    made += begins_word ? found->title : found->upper;
  else
    made += moved(c, unicode_tables::upper_runs());
}

}  // namespace

std::u32string python_lower(std::u32string_view text) {
  std::u32string made;
  made.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) append_lower(made, text, i);
  return made;
}

std::u32string python_upper(std::u32string_view text) {
  std::u32string made;
  made.reserve(text.size());
  for (const char32_t c : text) append_upper(made, c, false);
  return made;
}

std::u32string python_title(std::u32string_view text) {
  std::u32string made;
  bool begins = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (begins)
      append_upper(made, text[i], true);
    else
      append_lower(made, text, i);
    begins = !holds(unicode_tables::cased(), text[i]);
  }
  return made;
}

std::u32string python_capitalize(std::u32string_view text) {
  std::u32string made;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == 0)
      append_upper(made, text[i], true);
    else
      append_lower(made, text, i);
  }
  return made;
}

}  // namespace carryover
