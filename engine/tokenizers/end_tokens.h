// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// The end of a text in LLaMA's vocabularies, and a tag of HTML in others.
inline constexpr std::string_view kStrikeTag = "</s>";

/// Returns true for the spellings of tokens after which llama.cpp ends a text: "<|im_end|>".
bool is_end_spelling(std::string_view token);

/// Returns the ids after which a model's text ends, sorted: `eos_token_id` of config.json and generation_config.json, a
/// number or a list; a GGUF's eos, eot, eom and end-of-file tokens; and, if `tokenizer` is given, its end token and the
/// tokens of which is_end_spelling() is true, but for a "</s>" that is text beside another end token. `model_path` need
/// not name an existing file. Throws EngineError{BadInput, Io}, which names the file.
std::vector<std::int32_t> end_tokens(const std::string& model_path, const Tokenizer* tokenizer);

/// Does the same with the model's own tokenizer, if it has one that can be read.
std::vector<std::int32_t> model_end_tokens(const std::string& model_path);

}  // namespace carryover
