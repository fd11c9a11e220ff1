// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "engine/tokenizers/sentencepiece_proto.h"

namespace carryover {

/// The spelling of a space in SentencePiece's vocabularies: U+2581.
inline constexpr std::string_view kSpaceMark = "\xE2\x96\x81";

std::string spaces_as_marks(std::string_view text);
std::string marks_as_spaces(std::string_view text);

/// Converts text with marks for spaces to the ids of pieces. Immutable; any thread.
class PieceModel {
 public:
  virtual ~PieceModel() = default;
  /// Appends the ids of `marked`, valid UTF-8. Throws EngineError{BadInput} if the model fails.
  void encode(std::string_view marked, std::vector<std::int32_t>& ids) const;

 protected:
  /// `parts_words`: words are encoded one by one, because no merge crosses a place whose two characters are adjacent in
  /// no piece. This is exact for byte-pair models, and several times faster on a whole book, where each distinct word
  /// is encoded once.
  PieceModel(const std::vector<SentencePiece>& pieces, bool parts_words);
  virtual void encode_word(std::string_view word, std::vector<std::int32_t>& ids) const = 0;
  /// Returns the id of a whole stretch that is not cut into words; −1 for none.
  virtual std::int32_t whole(std::string_view /*marked*/) const { return -1; }

 private:
  std::size_t word_length(std::string_view marked) const;
  bool parts_words_;
  std::unordered_set<std::string> before_mark_;  ///< characters that are right before a mark in some piece
};

/// Returns, for each byte, the piece that stands for it if the vocabulary lacks a character. Throws
/// EngineError{BadInput, Unsupported}, which names `where`, for a vocabulary without a piece for each byte, without one
/// for a space, or with a repeated piece, because it can't spell every text.
std::vector<std::int32_t> byte_pieces(const std::vector<SentencePiece>& pieces, const std::string& where);

}  // namespace carryover
