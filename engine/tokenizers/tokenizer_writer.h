// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/tokenizers/bpe_tokenizer.h"

namespace carryover {

/// A byte-level BPE vocabulary as the `tokenizers` library stores it: it and read_tokenizer_json give the same ids.
/// `add_bos`: encoding there puts the begin token first. Throws EngineError{Unsupported} naming the file for a
/// vocabulary with a token twice, which that format can't hold.
nlohmann::ordered_json tokenizer_json_of(const BpeDefinition& definition, bool add_bos);

/// Puts a model's tokenizer into a folder: the files of an HF folder are copied, a GGUF's vocabulary is written as
/// tokenizer.json or tokenizer.model with tokenizer_config.json. generation_config.json is kept, with all end tokens. A
/// model without a tokenizer and end tokens leaves nothing. Throws EngineError{Io}, and what reading the model's own
/// tokenizer throws.
void write_tokenizer(const std::string& directory, const std::string& model_path);

}  // namespace carryover
