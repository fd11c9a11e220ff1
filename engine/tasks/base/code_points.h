// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/python_case.h"
#include "engine/base/python_space.h"

namespace carryover {

// Texts as Python's str has them, since scores are defined by programs in Python: their characters are code points, and
// case, blanks and digits are Unicode's. Pure; any thread.

/// Returns the characters of UTF-8; invalid bytes become U+FFFD, as with errors="replace".
std::u32string code_points(std::string_view text);
std::string utf8_text(std::u32string_view text);

bool is_python_word(char32_t c);        ///< \w of a regular expression
bool is_python_decimal(char32_t c);     ///< \d
bool is_ascii_punctuation(char32_t c);  ///< in string.punctuation

std::vector<std::u32string_view> python_words(std::u32string_view text);  ///< str.split(): of `text`
std::u32string_view python_strip(std::u32string_view text);               ///< str.strip(): of `text`
std::string python_strip(std::string_view text);
std::string python_lstrip(std::string_view text);
std::string python_rstrip(std::string_view text);

/// Returns the parts of `text` between separators, as str.split(separator) does: at least one, and any may be empty.
std::vector<std::u32string_view> python_split(std::u32string_view text, char32_t separator);
/// Replaces as str.replace() does.
std::string python_replace(std::string_view text, std::string_view from, std::string_view to);

}  // namespace carryover
