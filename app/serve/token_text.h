// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/tokenizers/tokenizer.h"

namespace carryover {

enum class FirstBlank { Keep, Drop };  ///< the one that SentencePiece puts before a text

/// Returns the text that a token adds; `blank` applies to a text's first token, the others take Keep.
std::string spelled_token(const Tokenizer& tokenizer, std::int32_t id, FirstBlank blank);

/// Returns a token as a client is shown it: its text, or `mark` and "\xe2\x82" where it is no whole character.
/// Completions mark it by "bytes:", chats by an empty text.
std::string shown_token(std::string_view bytes, std::string_view mark);

std::int64_t count_characters(std::string_view text);  ///< in valid UTF-8

}  // namespace carryover
