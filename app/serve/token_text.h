// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/tokenizers/tokenizer.h"

namespace carryover {

enum class FirstBlank { Keep, Drop };  ///< the one that SentencePiece puts before a text

/// What a token adds to a text; `blank` is of the first one, and Keep of the others.
std::string spelled_token(const Tokenizer& tokenizer, std::int32_t id, FirstBlank blank);

/// A token as a client is shown it: its text, or `mark` and "\xe2\x82" where that is no whole character. Completions
/// mark it by "bytes:", chats by nothing.
std::string shown_token(std::string_view bytes, std::string_view mark);

std::int64_t count_characters(std::string_view text);  ///< of valid UTF-8

}  // namespace carryover
