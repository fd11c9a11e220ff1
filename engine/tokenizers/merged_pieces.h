// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/tokenizers/piece_model.h"

namespace carryover {

/// A byte-pair vocabulary of characters with byte fallback, as the `tokenizers` library knows it.
struct PieceMerges {
  std::vector<SentencePiece> pieces;                        ///< by id; empty text for a gap
  std::vector<std::pair<std::string, std::string>> merges;  ///< best first
  bool ignore_merges = false;                               ///< true if a stretch that is a piece as a whole is not
                                                            ///< merged
};

/// Returns the merges that transformers makes for a tokenizer.model: every pair of pieces that together are a piece, in
/// order of that piece's id, then of the lengths of the two.
std::vector<std::pair<std::string, std::string>> generated_merges(const std::vector<SentencePiece>& pieces);

/// Returns a model that finds pieces as the `tokenizers` library does: characters, merged pair by pair; a character
/// that is not a piece becomes its bytes. Throws EngineError{BadInput, Unsupported}, which names `where`, for a merge
/// of unknown pieces, and as byte_pieces() does.
std::unique_ptr<const PieceModel> merged_pieces(const PieceMerges& vocabulary, const std::string& where);

}  // namespace carryover
