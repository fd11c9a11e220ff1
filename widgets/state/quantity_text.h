// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <cstdint>

namespace carryover {

double megabytes(std::int64_t bytes);  ///< of 10⁶ bytes, for axes and columns

QString bytes_text(std::int64_t bytes);  ///< "7.2 MB", "512 MB", "1.25 GB"
QString duration_text(double seconds);   ///< "4.2 s", "25 min", "1.5 h"

}  // namespace carryover
