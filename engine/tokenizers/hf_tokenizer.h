// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// What a Hugging Face folder says of its tokenizer. Of the JSON files null where one is not there.
struct HfTokenizerFiles {
  std::string folder;  ///< for errors
  nlohmann::json config, tokenizer_config, special_tokens_map, added_tokens, tokenizer;
  std::optional<std::string> sentencepiece;  ///< tokenizer.model
};

/// Reads the files as transformers 5 does, so that ids are the same (ADR 0043): tokenizer.json decides where it is
/// there; LlamaTokenizer, which tokenizer_config.json names, has a rule of its own for spaces; added tokens come from
/// tokenizer_config.json or else from added_tokens.json and special_tokens_map.json. Throws EngineError{BadInput,
/// Unsupported} naming the file.
std::shared_ptr<Tokenizer> make_hf_tokenizer(const HfTokenizerFiles& files);
/// The same for the files of a folder. Throws EngineError{Io}, too.
std::shared_ptr<Tokenizer> load_hf_tokenizer(const std::string& folder);

}  // namespace carryover
