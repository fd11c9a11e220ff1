// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>
#include <variant>

#include "engine/formats/gguf.h"
#include "engine/tokenizers/bpe_tokenizer.h"

namespace carryover {

/// Byte-level BPE, or a serialized SentencePiece model.
using GgufVocabulary = std::variant<BpeDefinition, std::string>;

/// The vocabulary inside a GGUF file: `tokenizer.ggml.model` "gpt2" (byte-level BPE, cut as `tokenizer.ggml.pre` says)
/// or "llama" (SentencePiece). Throws EngineError{BadInput} where arrays are missing or disagree, and {Unsupported}, by
/// name, for another kind.
GgufVocabulary read_gguf_vocabulary(const GgufFile& file);
std::shared_ptr<Tokenizer> load_gguf_tokenizer(const GgufFile& file);

}  // namespace carryover
