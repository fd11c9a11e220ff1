// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>
#include <variant>

#include "engine/formats/gguf.h"
#include "engine/tokenizers/bpe_tokenizer.h"

namespace carryover {

/// A byte-level BPE vocabulary, or a serialized SentencePiece model.
using GgufVocabulary = std::variant<BpeDefinition, std::string>;

/// Reads the vocabulary in a GGUF file: `tokenizer.ggml.model` "gpt2" (byte-level BPE, cut as `tokenizer.ggml.pre`
/// says) or "llama" (SentencePiece). Throws EngineError{BadInput} if arrays are missing or disagree, and {Unsupported},
/// which names the kind, for another kind.
GgufVocabulary read_gguf_vocabulary(const GgufFile& file);
std::shared_ptr<Tokenizer> load_gguf_tokenizer(const GgufFile& file);

}  // namespace carryover
