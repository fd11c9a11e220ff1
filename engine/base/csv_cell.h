// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace carryover {

// Cells of tables that a spreadsheet may open. Any thread.

/// Puts an apostrophe before a text that a spreadsheet would take for a formula. Numbers, in any language's form, and
/// single signs stay as they are.
std::string without_formula(std::string_view text);

/// Does the same, and quotes the text if it has a comma, a quote or a line end.
std::string csv_cell(std::string_view text);

/// Returns a comment line for the table below it: "# ", the text and a line feed. Nothing in the text can control a
/// terminal, end the line or, where a spreadsheet cuts it into cells, begin a formula.
std::string csv_comment(std::string_view text);

}  // namespace carryover
