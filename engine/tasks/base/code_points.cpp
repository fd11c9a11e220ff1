// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/base/code_points.h"

#include "engine/base/error.h"
#include "engine/base/unicode_tables.h"
#include "engine/base/utf8.h"

namespace carryover {

namespace {

std::u32string_view without_first_blanks(std::u32string_view text) {
  while (!text.empty() && is_python_space(text.front())) text.remove_prefix(1);
  return text;
}

std::u32string_view without_last_blanks(std::u32string_view text) {
  while (!text.empty() && is_python_space(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

std::u32string code_points(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  while (!text.empty()) {
    const Utf8Unit unit = first_utf8_unit(text);
    points += utf8_code(text.substr(0, unit.length));
    text.remove_prefix(unit.length);
  }
  return points;
}

std::string utf8_text(std::u32string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (const char32_t c : text) append_utf8(bytes, c);
  return bytes;
}

bool is_python_word(char32_t c) {
  return c == U'_' || unicode_tables::holds(unicode_tables::alphanumeric(), c);
}

bool is_python_decimal(char32_t c) {
  return unicode_tables::holds(unicode_tables::decimal(), c);
}

bool is_ascii_punctuation(char32_t c) {
  return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) || (c >= 123 && c <= 126);
}

std::vector<std::u32string_view> python_words(std::u32string_view text) {
  std::vector<std::u32string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && !is_python_space(text[end])) ++end;
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::u32string_view python_strip(std::u32string_view text) {
  return without_last_blanks(without_first_blanks(text));
}

std::string python_strip(std::string_view text) {
  return utf8_text(python_strip(code_points(text)));
}

std::string python_lstrip(std::string_view text) {
  return utf8_text(without_first_blanks(code_points(text)));
}

std::string python_rstrip(std::string_view text) {
  return utf8_text(without_last_blanks(code_points(text)));
}

std::vector<std::u32string_view> python_split(std::u32string_view text, char32_t separator) {
  std::vector<std::u32string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::u32string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string python_replace(std::string_view text, std::string_view from, std::string_view to) {
  CARRYOVER_CHECK(!from.empty());
  std::string replaced;
  for (std::size_t at = 0;;) {
    const std::size_t found = text.find(from, at);
    replaced += text.substr(at, found - at);
    if (found == std::string_view::npos) return replaced;
    replaced += to;
    at = found + from.size();
  }
}

}  // namespace carryover
