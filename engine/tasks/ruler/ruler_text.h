// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carryover {

/// Python's str.format: each "{name}" of `form` replaced; braces of a value, and of a name without one, stay. Pure; any
/// thread.
std::string python_format(std::string_view form,
                          std::initializer_list<std::pair<std::string_view, std::string_view>> values);

/// "1. one 2. two": words with their numbers.
std::string numbered_words(const std::vector<std::string>& words);

/// Parts with a separator between them.
std::string python_join(const std::vector<std::string>& parts, std::string_view separator);

}  // namespace carryover
