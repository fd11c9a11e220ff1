// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>

#include "engine/io/gguf.h"
#include "engine/io/tokenizer.h"

namespace carryover {

/// The vocabulary inside a GGUF file: `tokenizer.ggml.model` "gpt2" (byte-level BPE, cut as `tokenizer.ggml.pre` says)
/// or "llama" (SentencePiece, as a model that is made in memory). Throws EngineError{BadInput} where arrays are missing
/// or disagree, and {Unsupported}, by name, for another kind.
std::shared_ptr<const Tokenizer> load_gguf_tokenizer(const GgufFile& file);

}  // namespace carryover
