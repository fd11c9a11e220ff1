// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/split_mix.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// A text of sentences, each with a blank in front (" It rained."), whose tokens are counted as it grows; small talk
/// fills it up to a given number of tokens. The count is a sum over sentences: a caller that needs the exact count must
/// check the whole text. Owner: one thread.
class RecallText {
 public:
  /// `most`: the largest number of tokens that the text will have. `tokenizer` and `draw` must outlive this. Throws as
  /// Tokenizer::encode().
  RecallText(const Tokenizer& tokenizer, const std::vector<std::string>& small_talk, std::int64_t most, SplitMix& draw);

  void say(const std::string& sentence);
  /// Adds small talk up to `tokens` tokens in all, or as near below as sentences allow.
  void fill_to(std::int64_t tokens);
  /// Does the same, and adds one more sentence where that gives fewer.
  void fill_past(std::int64_t tokens);

  /// Returns the number of tokens of a sentence behind another one.
  std::int64_t tokens_of(const std::string& sentence) const;
  std::int64_t longest_small_talk() const { return longest_; }
  std::int64_t tokens() const { return tokens_; }
  const std::string& text() const { return text_; }

 private:
  struct Talk {
    std::string sentence;
    std::int64_t tokens;
  };

  const Tokenizer& tokenizer_;
  SplitMix& draw_;
  std::int64_t before_, tokens_ = 0, longest_ = 0;  ///< before_: tokens of the full stop that tokens_of() puts in front
  std::vector<Talk> small_talk_;
  std::vector<bool> can_fill_;  ///< by number of tokens: true if sentences can add up to it
  std::string text_;
};

}  // namespace carryover
