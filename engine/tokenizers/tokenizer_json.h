// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/tokenizers/bpe_tokenizer.h"
#include "engine/tokenizers/merged_pieces.h"
#include "engine/tokenizers/sentencepiece_tokenizer.h"

namespace carryover {

/// A Hugging Face tokenizer.json of the byte-level BPE kind. `bos` and `eos` stay empty: the file doesn't name them.
/// Throws EngineError{BadInput} where the file is broken, and {Unsupported}, naming the part, for what would not be
/// exact here: another kind of model, a normaliser, a pre-tokenizer other than a sequence of Split (regex, isolated),
/// Digits and ByteLevel.
BpeDefinition read_tokenizer_json(const nlohmann::json& json, const std::string& where);

/// What a tokenizer.json of the SentencePiece kind says: BPE over characters with byte fallback.
struct PieceJson {
  PieceMerges vocabulary;
  std::vector<AddedToken> added;
  SpaceRule spaces;
};

/// Whether a tokenizer.json is of that kind.
bool has_byte_fallback(const nlohmann::json& json);
/// Likewise exact or {Unsupported}: a normaliser that puts and replaces spaces, a pre-tokenizer Metaspace.
PieceJson read_piece_json(const nlohmann::json& json, const std::string& where);

}  // namespace carryover
