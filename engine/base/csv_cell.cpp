// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/csv_cell.h"

#include <algorithm>
#include <charconv>

#include "engine/base/terminal_text.h"

namespace carryover {

namespace {

/// Returns true for numbers such as "-0.5", "+1e-3", "-inf", and for their forms in other languages: "-1.234,5 %".
bool looks_like_number(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data() + (text.starts_with('+') ? 1 : 0), end, value).ptr == end) return true;
  std::string plain(text);
  for (const std::string_view space : {"\u00A0", "\u202F"})
    for (std::size_t at = plain.find(space); at != std::string::npos; at = plain.find(space))
      plain.erase(at, space.size());
  return plain.find_first_not_of("0123456789.,eE+-% ", 1) == std::string::npos;
}

/// Returns true if a spreadsheet takes the text for a formula. In some languages, spreadsheets also accept the signs in
/// their full-width forms.
bool begins_formula(std::string_view text) {
  constexpr std::string_view kBeginnings[] = {"=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"};
  return std::ranges::any_of(kBeginnings, [text](std::string_view each) { return text.starts_with(each); });
}

}  // namespace

std::string without_formula(std::string_view text) {
  const bool is_formula = text.size() > 1 && begins_formula(text);
  const bool has_sign = text.starts_with('+') || text.starts_with('-');
  if (!is_formula || (has_sign && looks_like_number(text))) return std::string(text);
  return "'" + std::string(text);
}

std::string csv_cell(std::string_view text) {
  std::string cell = without_formula(text);
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char letter : cell) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + "\"";
}

std::string csv_comment(std::string_view text) {
  std::string line = "# ";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(",;\t\n"), text.size());
    const std::string_view cell = text.substr(0, end);
    const std::size_t quotes = std::min(cell.find_first_not_of('"'), cell.size());
    if (line.size() > 2 && without_formula(cell.substr(quotes)) != cell.substr(quotes)) line += '\'';
    line += cell;
    if (end < text.size()) line += text[end] == '\n' ? ' ' : text[end];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return terminal_text(line) + "\n";
}

}  // namespace carryover
