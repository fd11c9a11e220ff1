// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "engine/tokenizers/sentencepiece_proto.h"

namespace carryover {

/// How SentencePiece's vocabularies spell a space: U+2581.
inline constexpr std::string_view kSpaceMark = "\xE2\x96\x81";

std::string spaces_as_marks(std::string_view text);
std::string marks_as_spaces(std::string_view text);

/// What turns text with marks for spaces into the ids of pieces. Immutable; any thread.
class PieceModel {
 public:
  virtual ~PieceModel() = default;
  /// Appends the ids of `marked`, valid UTF-8. Throws EngineError{BadInput} where the model fails.
  void encode(std::string_view marked, std::vector<std::int32_t>& ids) const;

 protected:
  /// `parts_words`: no merge crosses a place where no piece has these two characters side by side, so that words can be
  /// encoded one by one. That is exact for byte-pair models, and several times faster on a whole book, where each
  /// distinct word is encoded once.
  PieceModel(const std::vector<SentencePiece>& pieces, bool parts_words);
  virtual void encode_word(std::string_view word, std::vector<std::int32_t>& ids) const = 0;
  /// The id of a whole stretch that is not cut into words; −1 for none.
  virtual std::int32_t whole(std::string_view /*marked*/) const { return -1; }

 private:
  std::size_t word_length(std::string_view marked) const;
  bool parts_words_;
  std::unordered_set<std::string> before_mark_;  ///< characters that some piece has right before a mark
};

/// A byte that a piece stands for where the vocabulary lacks a character, by its value. Throws EngineError{BadInput,
/// Unsupported} naming `where` for a vocabulary without one for each byte, without a piece for a space, or with one
/// piece twice: it can't spell every text.
std::vector<std::int32_t> byte_pieces(const std::vector<SentencePiece>& pieces, const std::string& where);

}  // namespace carryover
