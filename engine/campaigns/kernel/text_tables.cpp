// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/kernel/text_tables.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "engine/base/csv_cell.h"
#include "engine/base/text_parts.h"

namespace carryover {

namespace {

std::string markdown_row(const TableRow& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) {
    line += ' ';
    for (const char letter : cell) {
      if (letter == '|')
        line += "\\|";
      else
        line += letter == '\n' ? ' ' : letter;
    }
    line += " |";
  }
  return line + "\n";
}

std::string latex_text(const std::string& text) {
  std::string escaped;
  for (const char letter : text) {
    if (letter == '\\')
      escaped += "\\textbackslash{}";
    else if (letter == '~' || letter == '^')
      escaped += std::string("\\") + letter + "{}";
    else if (std::string_view("&%$#_{}").find(letter) != std::string_view::npos)
      escaped += std::string("\\") + letter;
    else
      escaped += letter;
  }
  return escaped;
}

std::string latex_row(const TableRow& cells) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) text += (i == 0 ? "" : " & ") + latex_text(cells[i]);
  return text + " \\\\\n";
}

}  // namespace

TableFormat table_format(std::string_view extension) {
  return extension == "csv" ? TableFormat::Csv : extension == "tex" ? TableFormat::Latex : TableFormat::Markdown;
}

std::string markdown_table(const TableRow& head, const std::vector<TableRow>& rows) {
  std::string text = markdown_row(head) + "|";
  for (std::size_t i = 0; i < head.size(); ++i) text += "---|";
  text += "\n";
  for (const TableRow& row : rows) text += markdown_row(row);
  return text;
}

std::string csv_row(const TableRow& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += ',';
    line += csv_cell(cells[i]);
  }
  return line + "\n";
}

std::string text_table(TableFormat format, const TableRow& head, const std::vector<TableRow>& rows, std::size_t words) {
  if (format != TableFormat::Latex) return markdown_table(head, rows);
  std::string text = "\\begin{tabular}{" + std::string(words, 'l') + std::string(head.size() - words, 'r') +
                     "}\n\\hline\n" + latex_row(head) + "\\hline\n";
  for (const TableRow& row : rows) text += latex_row(row);
  return text + "\\hline\n\\end{tabular}\n";
}

std::string wrapped_text(const std::string& paragraph) {
  constexpr std::size_t most = 120;
  std::string text;
  std::size_t columns = 0;
  for (const std::string& word : text_words(paragraph)) {
    const auto width = static_cast<std::size_t>(
        std::ranges::count_if(word, [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U; }));
    if (columns > 0 && columns + 1 + width > most) {
      text += '\n';
      columns = 0;
    }
    if (columns > 0) text += ' ';
    text += word;
    columns += width + (columns > 0 ? 1 : 0);
  }
  return text + "\n";
}

std::string signed_fixed_text(double value, int digits) {
  return (std::signbit(value) ? "−" : "+") + fixed_text(std::fabs(value), digits);
}

std::string interval_text(const MeanInterval& interval, std::int64_t samples,
                          const std::function<std::string(double value)>& number) {
  const std::string bounds = interval.has_bounds() ? "[" + number(interval.low) + ", " + number(interval.high) + "]"
                                                   : "(n = " + std::to_string(samples) + ")";
  return number(interval.mean) + " " + bounds;
}

}  // namespace carryover
