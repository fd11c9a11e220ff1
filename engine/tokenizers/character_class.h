// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace carryover {

/// Returns true for Unicode's White_Space.
constexpr bool is_blank(char32_t c) {
  return (c >= 9 && c <= 13) || c == 32 || c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
         c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

/// Returns true for a letter, mark, digit or joining punctuation: \w of regular expressions, by PCRE2's Unicode tables.
bool is_word_character(char32_t c);

}  // namespace carryover
