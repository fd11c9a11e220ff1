// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/nfc.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/unicode_tables.h"
#include "engine/base/utf8.h"

namespace carryover {

namespace {

// Hangul's syllables are numbered by their letters: lead, vowel, tail.
constexpr char32_t kSyllables = 0xAC00, kLeads = 0x1100, kVowels = 0x1161, kTails = 0x11A7;
constexpr char32_t kLeadCount = 19, kVowelCount = 21, kTailCount = 28;
constexpr char32_t kSyllableCount = kLeadCount * kVowelCount * kTailCount;

int combining_class(char32_t c) {
  const auto& runs = unicode_tables::combining_classes();
  const auto behind = std::ranges::upper_bound(runs, c, {}, &unicode_tables::ClassRun::first);
  return behind == runs.begin() || c > std::prev(behind)->last ? 0 : std::prev(behind)->combining_class;
}

void append_decomposed(char32_t c, std::vector<char32_t>& out) {
  if (c >= kSyllables && c < kSyllables + kSyllableCount) {
    const char32_t syllable = c - kSyllables, tail = syllable % kTailCount;
    out.push_back(kLeads + syllable / kTailCount / kVowelCount);
    out.push_back(kVowels + syllable / kTailCount % kVowelCount);
    if (tail > 0) out.push_back(kTails + tail);
    return;
  }
  const auto& all = unicode_tables::decompositions();
  const auto found = std::ranges::lower_bound(all, c, {}, &unicode_tables::Decomposition::character);
  if (found == all.end() || found->character != c) return out.push_back(c);
  append_decomposed(found->first, out);
  if (found->second != 0) append_decomposed(found->second, out);
}

/// Sorts the marks behind each letter by their class; those of one class keep their order.
void order_marks(std::vector<char32_t>& characters) {
  for (auto begin = characters.begin(); begin != characters.end();) {
    const auto end = std::find_if(begin, characters.end(), [](char32_t c) { return combining_class(c) == 0; });
    std::ranges::stable_sort(begin, end, {}, &combining_class);
    begin = end == characters.end() ? end : end + 1;
  }
}

/// Returns the character that stands for the two, or 0.
char32_t composed(char32_t first, char32_t second) {
  if (first >= kLeads && first < kLeads + kLeadCount && second >= kVowels && second < kVowels + kVowelCount)
    return kSyllables + ((first - kLeads) * kVowelCount + (second - kVowels)) * kTailCount;
  const bool open =
      first >= kSyllables && first < kSyllables + kSyllableCount && (first - kSyllables) % kTailCount == 0;
  if (open && second > kTails && second < kTails + kTailCount) return first + (second - kTails);
  static const std::unordered_map<std::uint64_t, char32_t> pairs = [] {
    std::unordered_map<std::uint64_t, char32_t> made;
    for (const unicode_tables::Decomposition& step : unicode_tables::decompositions())
      if (step.composes) made[std::uint64_t{step.first} << 32 | step.second] = step.character;
    return made;
  }();
  const auto found = pairs.find(std::uint64_t{first} << 32 | second);
  return found == pairs.end() ? 0 : found->second;
}

/// Puts each letter together with the marks behind it that no other mark of their class, or a letter, keeps from it.
void compose(std::vector<char32_t>& characters) {
  std::vector<char32_t> out;
  std::size_t letter = 0;  // place in `out`
  bool has_letter = false;
  int last_class = 0;  // of what stands behind the letter; 0: nothing does
  for (const char32_t c : characters) {
    const int own = combining_class(c);
    const bool free = has_letter && (out.size() == letter + 1 || (last_class != 0 && last_class < own));
    const char32_t both = free ? composed(out[letter], c) : 0;
    if (both != 0) {
      out[letter] = both;
      continue;
    }
    if (own == 0) letter = out.size(), has_letter = true;
    last_class = own;
    out.push_back(c);
  }
  characters = std::move(out);
}

}  // namespace

bool is_surely_nfc(std::string_view text) {
  constexpr unsigned char kFirstMark = 0xCC;  // first byte of U+0300; no earlier character changes or composes
  return std::ranges::none_of(text, [](char byte) { return static_cast<unsigned char>(byte) >= kFirstMark; });
}

std::string nfc(std::string_view text) {
  if (is_surely_nfc(text)) return std::string(text);
  std::vector<char32_t> characters;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Unit unit = first_utf8_unit(text.substr(at));
    append_decomposed(utf8_code(text.substr(at, unit.length)), characters);
    at += unit.length;
  }
  order_marks(characters);
  compose(characters);
  std::string out;
  out.reserve(text.size());
  for (const char32_t c : characters) append_utf8(out, c);
  return out;
}

}  // namespace carryover
