// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/tokenizers/bpe_tokenizer.h"
#include "engine/tokenizers/merged_pieces.h"
#include "engine/tokenizers/sentencepiece_tokenizer.h"

namespace carryover {

/// Reads a Hugging Face tokenizer.json of the byte-level BPE kind. `bos` and `eos` stay empty, because the file does
/// not name them. Throws EngineError{BadInput} if the file is broken, and {Unsupported}, which names the part, for what
/// would not be exact here: another kind of model, a normaliser, or a pre-tokenizer other than a sequence of Split
/// (regex, isolated), Digits and ByteLevel.
BpeDefinition read_tokenizer_json(const nlohmann::json& json, const std::string& where);

/// The contents of a tokenizer.json of the SentencePiece kind: BPE over characters with byte fallback.
struct PieceJson {
  PieceMerges vocabulary;
  std::vector<AddedToken> added;
  SpaceRule spaces;
};

/// Returns true if a tokenizer.json is of that kind.
bool has_byte_fallback(const nlohmann::json& json);
/// Reads such a file, also exactly or with {Unsupported}. It may have a normaliser that puts and replaces spaces, and a
/// pre-tokenizer Metaspace.
PieceJson read_piece_json(const nlohmann::json& json, const std::string& where);

}  // namespace carryover
