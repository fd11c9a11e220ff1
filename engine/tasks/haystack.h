// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// A text that something is hidden in. Immutable; any thread.
class Haystack {
 public:
  /// Throws as Tokenizer::encode().
  Haystack(std::string text, const Tokenizer& tokenizer);

  const std::string& text() const { return text_; }
  std::int64_t tokens() const { return static_cast<std::int64_t>(ends_.size()); }
  /// The bytes of its first tokens.
  std::size_t bytes(std::int64_t tokens) const;
  /// Of its first `most` tokens, those up to the end of a sentence among the last ones, or else of a word.
  std::int64_t cut(std::int64_t most) const;
  /// How many of its first `count` tokens stand before what is hidden `depth` (0 to 1) deep: up to the end of a
  /// sentence within 0.4 % of them, or else of the nearest word.
  std::int64_t place(std::int64_t count, double depth) const;

 private:
  enum class Break { None, Character, Word, Sentence };
  Break break_behind(std::int64_t tokens) const;
  /// The nearest to `wanted`, at most `reach` away, within [lowest, highest]; −1: none.
  std::int64_t nearest(std::int64_t wanted, Break kind, std::int64_t reach, std::int64_t lowest,
                       std::int64_t highest) const;
  std::int64_t best(std::int64_t wanted, std::int64_t reach, std::int64_t lowest, std::int64_t highest) const;

  std::string text_;
  std::vector<std::size_t> ends_;  ///< of each token, in bytes of the text
};

/// A haystack's two parts.
struct Parted {
  std::string before, after;
  double depth = 0;  ///< what share of the haystack's tokens stands before
};

/// The most of `hay`, parted `depth` deep, with which the prompt that `prompt_of` makes has at most `most` tokens.
/// Throws EngineError{Usage} naming `task` where that is not even 16 tokens, {BadInput} where `hay` is too short for
/// it.
Parted part_to_fit(const Haystack& hay, double depth, std::int64_t most, const Tokenizer& tokenizer,
                   const std::string& task, const std::function<std::string(const Parted&)>& prompt_of);

}  // namespace carryover
