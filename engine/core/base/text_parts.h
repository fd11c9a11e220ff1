// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace carryover {

// Instead of std::getline and >> on a stream, which take an allocation that fails for the end of the text.

/// What lies between separators, without an empty part behind the last one. Any thread.
std::vector<std::string> text_parts(std::string_view text, char separator);

/// What lies between blanks, tabs and line ends; no part is empty. Any thread.
std::vector<std::string> text_words(std::string_view text);

/// Without the blanks at both ends. Any thread.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t");

/// "3.142": rounded to so many decimals. Any thread.
std::string fixed_text(double value, int digits);

/// Adds the fewest digits that read back as the same number, or an integer's. Any thread.
template <typename Number>
void append_digits(std::string& text, Number value) {
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

/// Whether all of it is so many lower-case hex digits. Any thread.
bool is_hex(std::string_view text, std::size_t digits);

}  // namespace carryover
