// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/tokenizers/bpe_tokenizer.h"

namespace carryover {

/// A Hugging Face tokenizer.json of the byte-level BPE kind. `bos` and `eos` stay empty: the file doesn't name them.
/// Throws EngineError{BadInput} where the file is broken, and {Unsupported}, naming the part, for what would not be
/// exact here: another kind of model, a normaliser, a pre-tokenizer other than a sequence of Split (regex, isolated),
/// Digits and ByteLevel, added tokens that eat spaces. One of the SentencePiece kind says to supply tokenizer.model.
BpeDefinition read_tokenizer_json(const nlohmann::json& json, const std::string& where);

}  // namespace carryover
