// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace carryover {

/// A line about the table below it: "# " and the text, in which nothing controls a terminal, ends the line or, where a
/// spreadsheet cuts it into cells, begins a formula. It ends in a line feed. Any thread.
std::string csv_comment(std::string_view text);

}  // namespace carryover
