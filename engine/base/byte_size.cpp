// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/byte_size.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/text_parts.h"

namespace carryover {

namespace {

struct SizeUnit {
  const char* name;
  double bytes;
  int most_digits;  ///< digits behind the point, for values below 10
};
constexpr std::array kUnits{SizeUnit{"B", 1, 0}, SizeUnit{"KB", 1e3, 1}, SizeUnit{"MB", 1e6, 1}, SizeUnit{"GB", 1e9, 2},
                            SizeUnit{"TB", 1e12, 2}};

ByteSize in_unit(double bytes, const SizeUnit& unit) {
  const double value = bytes / unit.bytes, size = std::abs(value);
  const int fewer = size >= 100 ? 2 : size >= 10 ? 1 : 0;
  return {value, std::max(0, unit.most_digits - fewer), unit.name};
}

/// Returns true if the value rounds to 1000 and so takes the next unit: 999.9996 MB are 1.00 GB.
bool rounds_up(const ByteSize& size) {
  const double scale = std::pow(10, size.digits);
  return std::round(std::abs(size.value) * scale) / scale >= 1000;
}

}  // namespace

ByteSize byte_size(double bytes) {
  std::size_t unit = 0;
  while (unit + 1 < kUnits.size() && rounds_up(in_unit(bytes, kUnits[unit]))) ++unit;
  return in_unit(bytes, kUnits[unit]);
}

std::string size_text(double bytes) {
  const ByteSize size = byte_size(bytes);
  return fixed_text(size.value, size.digits) + " " + size.unit;
}

}  // namespace carryover
