// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace carryover {

/// Python's str.isspace() of a code point: true for Unicode's blanks, and for four separators among the control
/// characters.
constexpr bool is_python_space(char32_t c) {
  return (c >= 9 && c <= 13) || (c >= 28 && c <= 32) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

}  // namespace carryover
