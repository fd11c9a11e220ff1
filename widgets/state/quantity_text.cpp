// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/state/quantity_text.h"

#include <QCoreApplication>

namespace carryover {
namespace {

QString text(const char* pattern, double value, int digits) {
  return QCoreApplication::translate("quantities", pattern).arg(value, 0, 'f', digits);
}

}  // namespace

double megabytes(std::int64_t bytes) {
  return static_cast<double>(bytes) / 1e6;
}

QString bytes_text(std::int64_t bytes) {
  const double value = megabytes(bytes);
  if (value >= 1e3) return text(QT_TRANSLATE_NOOP("quantities", "%L1 GB"), value / 1e3, 2);
  return text(QT_TRANSLATE_NOOP("quantities", "%L1 MB"), value, value < 1 ? 2 : value < 10 ? 1 : 0);
}

QString duration_text(double seconds) {
  if (seconds < 90) return text(QT_TRANSLATE_NOOP("quantities", "%L1 s"), seconds, seconds < 10 ? 1 : 0);
  if (seconds < 5400) return text(QT_TRANSLATE_NOOP("quantities", "%L1 min"), seconds / 60, 0);
  return text(QT_TRANSLATE_NOOP("quantities", "%L1 h"), seconds / 3600, 1);
}

}  // namespace carryover
