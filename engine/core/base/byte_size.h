// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

namespace carryover {

/// Bytes as people read them, before a language writes the number: of powers of 1000, as units without an i say.
struct ByteSize {
  double value = 0;
  int digits = 0;  ///< behind the point
  const char* unit = "B";
};
ByteSize byte_size(double bytes);

/// "390 KB", "7.2 MB", "512 MB", "1.25 GB": with a decimal point, for messages and files.
std::string size_text(double bytes);

}  // namespace carryover
