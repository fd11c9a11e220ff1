// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/serve/token_scores.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// What each of a text's ids adds to it. `first_blank_stays`: the text goes on behind another.
std::vector<std::string> token_pieces(const Tokenizer& tokenizer, std::span<const std::int32_t> ids,
                                      bool first_blank_stays);

/// A token as a client is shown it: its text, or "bytes:\xe2\x82" where that is no whole character.
std::string shown_token(std::string_view bytes);

std::int64_t count_characters(std::string_view text);  ///< of valid UTF-8

/// The field "logprobs" of a completion: one entry for each token in each of its lists. One thread.
class LogprobList {
 public:
  explicit LogprobList(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  /// `piece`: what the token adds to the text; nothing for one that is no part of it. The first token of a text has no
  /// logprob. Where `top` is empty it stands alone there, too.
  void add(std::int32_t id, std::string_view piece, std::optional<float> logprob, std::span<const TopToken> top);
  /// The tokens whose `scores` begin at `first_score`; with -1 the first of them has none.
  void add_all(std::span<const std::int32_t> ids, const std::vector<std::string>& pieces, const TokenScores& scores,
               std::int64_t first_score);
  /// Leaves out the tokens, behind the first `least`, that begin where the text of so many characters ends.
  void cut(std::size_t least, std::int64_t characters);
  nlohmann::json json() const;

 private:
  const Tokenizer& tokenizer_;
  std::string pending_;
  std::int64_t characters_ = 0;
  nlohmann::json::array_t tokens_, logprobs_, top_, offsets_;
};

}  // namespace carryover
