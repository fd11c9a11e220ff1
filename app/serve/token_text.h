// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace carryover {

/// A token as a client is shown it: its text, or `mark` and "\xe2\x82" where that is no whole character. Completions
/// mark it by "bytes:", chats by nothing.
std::string shown_token(std::string_view bytes, std::string_view mark);

std::int64_t count_characters(std::string_view text);  ///< of valid UTF-8

}  // namespace carryover
