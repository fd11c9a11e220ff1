// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

namespace carryover {

using TableRow = std::vector<std::string>;

/// Tables as text. Every row has as many cells as `head`; what would end a cell is escaped. Pure; any thread.
std::string markdown_table(const TableRow& head, const std::vector<TableRow>& rows);
std::string csv_row(const TableRow& cells);
/// The first `words` columns are set left, the others right.
std::string latex_table(const TableRow& head, const std::vector<TableRow>& rows, std::size_t words);

/// One paragraph in lines of at most 120 columns, where a word is no longer; ends with a line end.
std::string wrapped_text(const std::string& paragraph);

std::string signed_text(double value, int digits);  ///< "+0.125", "−0.125"

}  // namespace carryover
