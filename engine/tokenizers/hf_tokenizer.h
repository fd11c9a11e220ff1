// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// The tokenizer's files of a Hugging Face folder. JSON files that do not exist are null.
struct HfTokenizerFiles {
  std::string folder;  ///< for errors
  nlohmann::json config, tokenizer_config, special_tokens_map, added_tokens, tokenizer;
  std::optional<std::string> sentencepiece;  ///< tokenizer.model
};

/// Reads the files as transformers 5 does, so that ids are the same (ADR 0043). tokenizer.json decides if it is there.
/// LlamaTokenizer, which tokenizer_config.json may name, has its own rule for spaces. Added tokens come from
/// tokenizer_config.json, or else from added_tokens.json and special_tokens_map.json. Throws EngineError{BadInput,
/// Unsupported}, which names the file.
std::shared_ptr<Tokenizer> make_hf_tokenizer(const HfTokenizerFiles& files);
/// Does the same for the files of a folder. Throws EngineError{Io}, too.
std::shared_ptr<Tokenizer> load_hf_tokenizer(const std::string& folder);

}  // namespace carryover
