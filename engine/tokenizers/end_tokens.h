// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// The ids after which a model's text ends, sorted: `eos_token_id` of config.json and generation_config.json, a number
/// or a list; a GGUF's eos, eot, eom and end-of-file tokens; and of `tokenizer`, where there is one, its end token and
/// the tokens that are spelled as llama.cpp knows ends of turns (<|eot_id|>, <|im_end|>, …). `model_path` may name no
/// file at all. Throws EngineError{BadInput, Io} naming the file.
std::vector<std::int32_t> end_tokens(const std::string& model_path, const Tokenizer* tokenizer);

/// The same with the model's own tokenizer, where it has one that can be read.
std::vector<std::int32_t> model_end_tokens(const std::string& model_path);

}  // namespace carryover
