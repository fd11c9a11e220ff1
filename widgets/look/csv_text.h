// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLocale>
#include <QString>
#include <cmath>

namespace carryover {

// Fields of CSV files, which are the same in every language of the window. Any thread.

/// In quotes, those in it doubled.
inline QString csv_quoted(QString text) {
  return QLatin1Char('"') + text.replace(QLatin1Char('"'), QLatin1String("\"\"")) + QLatin1Char('"');
}

/// Quoted where a comma or a quote asks for it.
inline QString csv_field(const QString& text) {
  return text.contains(QLatin1Char(',')) || text.contains(QLatin1Char('"')) ? csv_quoted(text) : text;
}

/// Shortest text that reads back as the same number; empty for NaN.
inline QString exact_number(double value) {
  return std::isnan(value) ? QString() : QString::number(value, 'g', QLocale::FloatingPointShortest);
}

}  // namespace carryover
