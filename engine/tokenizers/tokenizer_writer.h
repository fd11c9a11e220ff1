// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/tokenizers/bpe_tokenizer.h"

namespace carryover {

/// Returns a byte-level BPE vocabulary as the `tokenizers` library stores it; that library and read_tokenizer_json give
/// the same ids. `add_bos`: encoding there puts the begin token first. Throws EngineError{Unsupported}, which names the
/// file, for a vocabulary with a repeated token, which that format can't hold.
nlohmann::ordered_json tokenizer_json_of(const BpeDefinition& definition, bool add_bos);

/// Writes a model's tokenizer into a folder: the files of an HF folder are copied; a GGUF's vocabulary is written as
/// tokenizer.json or tokenizer.model with tokenizer_config.json. generation_config.json is kept, with all end tokens.
/// Nothing is written for a model without a tokenizer and end tokens. Throws EngineError{Io}, and what reading the
/// model's own tokenizer throws.
void write_tokenizer(const std::string& directory, const std::string& model_path);

}  // namespace carryover
