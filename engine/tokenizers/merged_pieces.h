// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/tokenizers/piece_model.h"

namespace carryover {

/// What the `tokenizers` library knows of a byte-pair vocabulary of characters with byte fallback.
struct PieceMerges {
  std::vector<SentencePiece> pieces;                        ///< by id; empty text for a gap
  std::vector<std::pair<std::string, std::string>> merges;  ///< best first
  bool ignore_merges = false;                               ///< a stretch that is a piece as it stands is not merged
};

/// The merges that transformers makes for a tokenizer.model: every pair of pieces that together are a piece, by the id
/// of that one, then by the lengths of the two.
std::vector<std::pair<std::string, std::string>> generated_merges(const std::vector<SentencePiece>& pieces);

/// Pieces as the `tokenizers` library finds them: characters, merged pair by pair; a character that is no piece becomes
/// its bytes. Throws EngineError{BadInput, Unsupported} naming `where`: a merge of unknown pieces, and as
/// byte_pieces().
std::unique_ptr<const PieceModel> merged_pieces(const PieceMerges& vocabulary, const std::string& where);

}  // namespace carryover
