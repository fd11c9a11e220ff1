// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/tokenizers/added_tokens.h"
#include "engine/tokenizers/hf_tokenizer.h"

namespace carryover {

/// "bos_token" and "<s>", and so on.
using TokenNames = std::vector<std::pair<std::string, std::string>>;

/// A vocabulary before its folder's files add tokens.
struct BaseVocabulary {
  std::function<std::optional<std::int32_t>(const std::string&)> find;
  std::int64_t size = 0;
  std::vector<AddedToken> added;  ///< that it has by itself, of tokenizer.json
  std::vector<AddedToken> extra;  ///< of a tokenizer.model, where no file lists more special tokens
  TokenNames named;               ///< where no file says otherwise
  bool is_model_file = false;     ///< a tokenizer.model's
  bool raw_added = false;         ///< listed tokens are looked for before the text is normalized
};

/// What the files make of it.
struct DeclaredTokens {
  std::vector<AddedToken> added;
  std::optional<std::int32_t> bos, eos;
  std::vector<std::string> notes;
};

/// The added tokens of tokenizer_config.json (`added_tokens_decoder`, or else added_tokens.json,
/// special_tokens_map.json and what tokenizer.json lists), with transformers' ids: those of the vocabulary, or the next
/// free ones in order.
DeclaredTokens declared_tokens(const HfTokenizerFiles& files, BaseVocabulary base);

}  // namespace carryover
