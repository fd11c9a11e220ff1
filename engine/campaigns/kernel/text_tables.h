// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/statistics/bootstrap.h"

namespace carryover {

enum class TableFormat { Markdown, Csv, Latex };
/// Returns the format of a file's extension, "csv" or "tex"; for any other, Markdown.
TableFormat table_format(std::string_view extension);

using TableRow = std::vector<std::string>;

/// Tables as text. Every row has as many cells as `head`; what would end a cell is escaped. Pure; any thread.
std::string markdown_table(const TableRow& head, const std::vector<TableRow>& rows);
std::string csv_row(const TableRow& cells);
/// Returns the rows in LaTeX, or else in Markdown. In LaTeX, the first `words` columns are set left, the others right.
std::string text_table(TableFormat format, const TableRow& head, const std::vector<TableRow>& rows, std::size_t words);

/// One paragraph in lines of at most 120 columns, where a word is no longer; ends with a line end.
std::string wrapped_text(const std::string& paragraph);

std::string signed_fixed_text(double value, int digits);  ///< "+0.125", "−0.125"

/// Returns "0.5 [0.3, 0.7]", or "0.5 (n = 4)" where so few samples have no bounds. `number`: how it writes one.
std::string interval_text(const MeanInterval& interval, std::int64_t samples,
                          const std::function<std::string(double value)>& number);

}  // namespace carryover
