// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace carryover {

// Upper and lower case as Python's str has them, by Unicode's full mappings: one character may become several, and a
// sigma's lower-case form depends on its neighbours. Values that are not the code point of a character stay. Pure; any
// thread.

std::u32string python_lower(std::u32string_view text);
std::u32string python_upper(std::u32string_view text);
/// A word begins after a character without a case.
std::u32string python_title(std::u32string_view text);
std::u32string python_capitalize(std::u32string_view text);

}  // namespace carryover
