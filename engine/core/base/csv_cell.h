// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace carryover {

// Cells of tables that a spreadsheet may open. Any thread.

/// A text that a spreadsheet would take for a formula gets an apostrophe in front. Numbers, in any language's form, and
/// single signs stay as they are.
std::string without_formula(std::string_view text);

/// The same, quoted where a comma, a quote or a line end asks for it.
std::string csv_cell(std::string_view text);

/// A line about the table below it: "# " and the text, in which nothing controls a terminal, ends the line or, where a
/// spreadsheet cuts it into cells, begins a formula. It ends in a line feed.
std::string csv_comment(std::string_view text);

}  // namespace carryover
