// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace carryover {

// These replace std::getline and >> on a stream, which take a failed allocation for the end of the text.

/// Returns the parts between separators, without an empty part after the last separator. Any thread.
std::vector<std::string> text_parts(std::string_view text, char separator);

/// Returns the parts between blanks, tabs and line ends; no part is empty. Any thread.
std::vector<std::string> text_words(std::string_view text);

/// Returns the text without the blanks at both ends. Any thread.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t");

/// Returns a number rounded to so many decimals: "3.142". Any thread.
std::string fixed_text(double value, int digits);

/// Appends the fewest digits that read back as the same number, or an integer's digits. Any thread.
template <typename Number>
void append_digits(std::string& text, Number value) {
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

/// Returns true if the text is exactly `digits` lower-case hex digits. Any thread.
bool is_hex(std::string_view text, std::size_t digits);

}  // namespace carryover
