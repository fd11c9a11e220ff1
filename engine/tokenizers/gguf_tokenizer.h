// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "engine/formats/gguf.h"
#include "engine/tokenizers/bpe_tokenizer.h"

namespace carryover {

/// A serialized SentencePiece model, and the ids of its special tokens that take the blanks behind them.
struct PieceVocabulary {
  std::string model;
  std::vector<std::int32_t> blank_takers;
};

/// A byte-level BPE vocabulary, or one of SentencePiece.
using GgufVocabulary = std::variant<BpeDefinition, PieceVocabulary>;

/// Reads the vocabulary in a GGUF file: `tokenizer.ggml.model` "gpt2" (byte-level BPE, cut as `tokenizer.ggml.pre`
/// says) or "llama" (SentencePiece). Throws EngineError{BadInput} if arrays are missing or disagree, and {Unsupported},
/// which names the kind, for another kind.
GgufVocabulary read_gguf_vocabulary(const GgufFile& file);
std::shared_ptr<Tokenizer> load_gguf_tokenizer(const GgufFile& file);

}  // namespace carryover
