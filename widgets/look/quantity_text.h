// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <cstdint>
#include <optional>

namespace carryover {

double megabytes(std::int64_t bytes);  ///< of 10⁶ bytes, for axes and columns

QString bytes_text(std::int64_t bytes);  ///< "7.2 MB", "512 MB", "1.25 GB": byte_size() in the window's language
QString duration_text(double seconds);   ///< "4.2 s", "25 min", "1.5 h"

// Numbers as the window's language writes them: "1,234.5" in English, "1.234,5" in German. Whatever the window shows
// with a fraction comes from here, or stands as %L1 in a translated text; what names a place (a layer, a head, a
// position) has no separators, because it can be typed back. Files keep the decimal point: see FileNumbers.

QString decimal_text(double value, int digits);      ///< with so many digits behind the point
QString significant_text(double value, int digits);  ///< with so many digits in all, or fewer: "0.125", "1.5e-07"
QString scientific_text(double value, int digits);   ///< with so many digits behind the point: "1.5e-07"
QString signed_text(double value, int digits);       ///< decimal_text with a + above zero
QString percent_text(double share, int digits);      ///< of 1: "12.5 %"
QString count_text(std::int64_t count);              ///< "12,345"

/// Returns the probability of a token from its loss in the run, which is the value that the whole window shows.
double token_probability(float nll);
QString probability_text(double probability);  ///< "1.32 %", with three digits

QString editable_text(double value);  ///< the shortest that reads back as the same number, for fields
/// Reads a number that editable_text wrote or a user typed: as the language writes numbers, or with a decimal point.
std::optional<double> number_in(const QString& text);

/// While one lives, the functions above write numbers as files have them, whatever the language: with a decimal point
/// and without separators. GUI thread.
class FileNumbers {
 public:
  FileNumbers();
  ~FileNumbers();
  FileNumbers(const FileNumbers&) = delete;
  FileNumbers& operator=(const FileNumbers&) = delete;
};

}  // namespace carryover
