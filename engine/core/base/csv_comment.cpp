// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/base/csv_comment.h"

#include <algorithm>

#include "engine/core/base/csv_cell.h"
#include "engine/core/base/terminal_text.h"

namespace carryover {

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
