// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/tokenizers/tokenizer.h"

namespace carryover {

// A prompt that is too long loses tokens of its middle, as in LongBench. Special tokens are not counted, and what is
// left of a character that was cut is U+FFFD. Both throw as Tokenizer::encode(). Any thread.

struct TextHalves {
  std::string first, last;
};

/// The first and the last most/2 tokens, each half decoded on its own (pred.py of LongBench). Nothing where the text
/// has no more than `most` tokens, at least 2.
std::optional<TextHalves> truncate_middle(std::string_view text, std::int64_t most, const Tokenizer& tokenizer);

/// The first most/2 tokens and as many last ones as make up `most`, decoded as one (pred.py of LongBench v2). Likewise.
std::optional<std::string> truncate_middle_joined(std::string_view text, std::int64_t most, const Tokenizer& tokenizer);

/// Context and question of a truncated prompt.
struct PromptParts {
  std::string context, question;
};

/// Cuts in front of the question that the prompt ends with, or where it ends otherwise, since the question was cut
/// itself, between its halves.
PromptParts truncated_parts(const TextHalves& halves, const std::string& question);

}  // namespace carryover
