// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLocale>
#include <QString>
#include <cmath>

#include "engine/base/csv_cell.h"

namespace carryover {

// Fields of CSV files, which are the same in every language of the window. Any thread.

/// Returns the text as a spreadsheet may get it: see csv_cell().
inline QString without_formula(const QString& text) {
  return QString::fromStdString(without_formula(text.toStdString()));
}

/// Returns the field in quotes, with those in it doubled.
inline QString csv_quoted(const QString& field) {
  QString text = without_formula(field);
  return QLatin1Char('"') + text.replace(QLatin1Char('"'), QLatin1String("\"\"")) + QLatin1Char('"');
}

/// Quoted where a comma or a quote asks for it.
inline QString csv_field(const QString& text) {
  return QString::fromStdString(csv_cell(text.toStdString()));
}

/// Shortest text that reads back as the same number; empty for NaN.
inline QString exact_number(double value) {
  return std::isnan(value) ? QString() : QString::number(value, 'g', QLocale::FloatingPointShortest);
}

}  // namespace carryover
