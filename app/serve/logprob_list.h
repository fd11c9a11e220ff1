// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/serve/serving_engine.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// Returns the text that each of a text's ids adds to it.
std::vector<std::string> token_pieces(const Tokenizer& tokenizer, std::span<const std::int32_t> ids);

/// The field "logprobs" of a completion: one entry for each token in each of its lists. One thread.
class LogprobList {
 public:
  explicit LogprobList(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  /// Adds a token. `offset`: number of characters before it. If `top` is empty, the token is the only one in its list
  /// of likeliest tokens.
  void add(std::int32_t id, std::int64_t offset, std::optional<float> logprob, std::span<const TopToken> top);
  /// Adds a text from its beginning, whose first token has no logprob. `pieces`: the texts that its tokens add to it.
  void add_text(std::span<const std::int32_t> ids, std::span<const std::string> pieces, const TokenScores& scores);
  nlohmann::json take();  ///< the field, with what was added since the last call

 private:
  const Tokenizer& tokenizer_;
  nlohmann::json::array_t tokens_, logprobs_, top_, offsets_;
};

}  // namespace carryover
