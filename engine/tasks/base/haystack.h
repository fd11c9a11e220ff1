// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// A text in which something is hidden. Immutable; any thread.
class Haystack {
 public:
  /// Throws as Tokenizer::encode().
  Haystack(std::string text, const Tokenizer& tokenizer);

  const std::string& text() const { return text_; }
  std::int64_t tokens() const { return static_cast<std::int64_t>(ends_.size()); }
  /// Returns the number of bytes of the text's first `tokens` tokens.
  std::size_t bytes(std::int64_t tokens) const;
  /// Returns how many of the text's first `most` tokens to keep: up to the end of a sentence near their end, or else of
  /// a word.
  std::int64_t cut(std::int64_t most) const;
  /// Returns how many of the text's first `count` tokens stand before something hidden at `depth` (0 to 1): up to the
  /// end of a sentence within 0.4 % of them, or else of the nearest word.
  std::int64_t place(std::int64_t count, double depth) const;

 private:
  enum class Break { None, Character, Word, Sentence };
  Break break_behind(std::int64_t tokens) const;
  /// Returns the nearest break to `wanted`, at most `reach` away and within [lowest, highest], or −1.
  std::int64_t nearest(std::int64_t wanted, Break kind, std::int64_t reach, std::int64_t lowest,
                       std::int64_t highest) const;
  std::int64_t best(std::int64_t wanted, std::int64_t reach, std::int64_t lowest, std::int64_t highest) const;

  std::string text_;
  std::vector<std::size_t> ends_;  ///< of each token, in bytes of the text
};

/// The two parts of a haystack.
struct Parted {
  std::string before, after;
  double depth = 0;  ///< share of the haystack's tokens in `before`
};

/// Returns as much of `hay` as fits, parted at `depth`: the prompt that `prompt_of` makes with it has at most `most`
/// tokens. Throws EngineError{Usage} naming `task` where not even 16 tokens fit, {BadInput} where `hay` is too short to
/// fill the prompt.
Parted part_to_fit(const Haystack& hay, double depth, std::int64_t most, const Tokenizer& tokenizer,
                   const std::string& task, const std::function<std::string(const Parted&)>& prompt_of);

}  // namespace carryover
