// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/protobuf_wire.h"

namespace carryover {

/// The kinds of pieces in a ModelProto. A GGUF's token types use the same numbers.
enum class PieceKind : std::int64_t { Normal = 1, Unknown = 2, Control = 3, UserDefined = 4, Unused = 5, Byte = 6 };

struct SentencePiece {
  std::string text;
  PieceKind kind = PieceKind::Normal;
};

/// The contents of a serialized ModelProto that the program needs.
struct SentencePieceFacts {
  bool dummy_prefix = true;                                  ///< true if a space goes before the text
  bool byte_pair = false;                                    ///< true: byte-pair; false: unigram
  std::vector<SentencePiece> pieces;                         ///< by id
  std::string bos = "<s>", eos = "</s>", unknown = "<unk>";  ///< spellings; empty if the model has none
};

/// Reads a ModelProto. Throws EngineError{BadInput} if the bytes are not one, and {Unsupported} for a model that
/// changes the text or is neither byte-pair nor unigram. Scores must be finite, because the library sorts by them.
SentencePieceFacts inspect_sentencepiece(std::string_view model, const std::string& where);

/// Returns the same model with its dummy prefix off and without its self-test (which expects the prefix). The caller
/// puts the space there itself, only where a text starts.
std::string without_dummy_prefix(std::string_view model, const std::string& where);

/// Writes a ModelProto of LLaMA's kind: byte-pair pieces with byte fallback, identity normaliser.
class SentencePieceWriter {
 public:
  void add_piece(std::string_view piece, float score, PieceKind kind);
  /// `bos`, `eos`: the spellings of those pieces, empty for none.
  std::string finish(bool dummy_prefix, std::string_view bos, std::string_view eos);

 private:
  WireWriter model_;
};

/// Returns the byte that a piece like <0x0A> stands for.
std::optional<std::uint8_t> byte_of_piece(std::string_view piece);

}  // namespace carryover
