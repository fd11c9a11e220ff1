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

/// Pairs of a name and a spelling, such as "bos_token" and "<s>".
using TokenNames = std::vector<std::pair<std::string, std::string>>;

/// A vocabulary before its folder's files add tokens.
struct BaseVocabulary {
  std::function<std::optional<std::int32_t>(const std::string&)> find;
  std::int64_t size = 0;
  std::vector<AddedToken> added;  ///< its own added tokens, from tokenizer.json
  std::vector<AddedToken> extra;  ///< from a tokenizer.model; used if no file lists more special tokens
  TokenNames named;               ///< used if no file says otherwise
  bool is_model_file = false;     ///< true if it is from a tokenizer.model
  bool raw_added = false;         ///< true if listed tokens are looked for before the text is normalized
};

/// The tokens that result from a folder's files.
struct DeclaredTokens {
  std::vector<AddedToken> added;
  std::optional<std::int32_t> bos, eos;
  std::vector<std::string> notes;
};

/// Returns the added tokens of tokenizer_config.json (`added_tokens_decoder`, or else added_tokens.json,
/// special_tokens_map.json and the list of tokenizer.json), with transformers' ids: those of the vocabulary, or the
/// next free ones in order.
DeclaredTokens declared_tokens(const HfTokenizerFiles& files, BaseVocabulary base);

}  // namespace carryover
