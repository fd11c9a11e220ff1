// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

namespace carryover {

/// A number of bytes as people read it, before it is written in a language. Units are powers of 1000, as their names
/// without an i say.
struct ByteSize {
  double value = 0;
  int digits = 0;  ///< number of digits behind the point
  const char* unit = "B";
};
ByteSize byte_size(double bytes);

/// Returns a size with a decimal point for messages and files: "390 KB", "7.2 MB", "512 MB", "1.25 GB".
std::string size_text(double bytes);

}  // namespace carryover
