// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/quantity_text.h"

#include <QCoreApplication>
#include <QLocale>
#include <cmath>

#include "engine/base/byte_size.h"

namespace carryover {
namespace {

int writing_files = 0;  ///< how many FileNumbers live

QLocale numbers() {
  return writing_files > 0 ? QLocale::c() : QLocale();
}

QString text(const char* pattern, double value, int digits) {
  return QCoreApplication::translate("quantities", pattern).replace(QStringLiteral("%L1"), decimal_text(value, digits));
}

}  // namespace

double megabytes(std::int64_t bytes) {
  return static_cast<double>(bytes) / 1e6;
}

QString bytes_text(std::int64_t bytes) {
  const ByteSize size = byte_size(static_cast<double>(bytes));
  return decimal_text(size.value, size.digits) + QLatin1Char(' ') + QLatin1String(size.unit);
}

QString duration_text(double seconds) {
  if (seconds < 90) return text(QT_TRANSLATE_NOOP("quantities", "%L1 s"), seconds, seconds < 10 ? 1 : 0);
  if (seconds < 5400) return text(QT_TRANSLATE_NOOP("quantities", "%L1 min"), seconds / 60, 0);
  return text(QT_TRANSLATE_NOOP("quantities", "%L1 h"), seconds / 3600, 1);
}

QString decimal_text(double value, int digits) {
  return numbers().toString(value, 'f', digits);
}

QString significant_text(double value, int digits) {
  return numbers().toString(value, 'g', digits);
}

QString scientific_text(double value, int digits) {
  return numbers().toString(value, 'e', digits);
}

QString signed_text(double value, int digits) {
  return (value > 0 ? QStringLiteral("+") : QString()) + decimal_text(value, digits);
}

QString percent_text(double share, int digits) {
  return decimal_text(100 * share, digits) + QStringLiteral(" %");
}

double token_probability(float nll) {
  return std::exp(-static_cast<double>(nll));
}

QString probability_text(double probability) {
  QLocale locale = numbers();
  locale.setNumberOptions(locale.numberOptions() | QLocale::IncludeTrailingZeroesAfterDot);
  return locale.toString(100 * probability, 'g', 3) + QStringLiteral("\u00A0%");
}

QString count_text(std::int64_t count) {
  return numbers().toString(static_cast<qlonglong>(count));
}

QString editable_text(double value) {
  QLocale locale = numbers();
  locale.setNumberOptions(QLocale::OmitGroupSeparator);
  return locale.toString(value, 'g', QLocale::FloatingPointShortest);
}

std::optional<double> number_in(const QString& text) {
  for (QLocale locale : {QLocale(), QLocale::c()}) {
    locale.setNumberOptions(QLocale::RejectGroupSeparator);
    bool fine = false;
    const double value = locale.toDouble(text.trimmed(), &fine);
    if (fine) return value;
  }
  return std::nullopt;
}

FileNumbers::FileNumbers() {
  ++writing_files;
}
FileNumbers::~FileNumbers() {
  --writing_files;
}

}  // namespace carryover
