// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace carryover {

/// Returns the text in Unicode's normalization form C: letters and marks put together where one character stands for
/// both, and marks in their canonical order. `text` must be valid UTF-8. Any thread.
std::string nfc(std::string_view text);

/// Returns true if no character of the text can change under nfc(). Texts in Latin letters, and most others, are such.
bool is_surely_nfc(std::string_view text);

}  // namespace carryover
