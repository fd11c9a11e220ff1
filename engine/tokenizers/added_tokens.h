// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tokenizers/token_finder.h"

namespace carryover {

/// A token that is found in a text by its spelling, before the model's own splitting.
struct AddedToken {
  std::string text;
  std::int32_t id = 0;
  bool special = false;      ///< found only if the caller asks for special tokens
  bool normalized = false;   ///< looked for in the normalized text, after all tokens that are not normalized
  bool lstrip = false;       ///< takes the blanks before it
  bool rstrip = false;       ///< takes the blanks after it
  bool single_word = false;  ///< not found with a letter or digit beside it
};

/// Cuts a text at its added tokens, as the `tokenizers` library does: leftmost first, the longest of those that start
/// there, in two passes (`normalized` last). Immutable; any thread.
class AddedTokens {
 public:
  using Normalize = std::function<std::string(std::string_view)>;
  /// `at_start`: true if this stretch is the text's first and nothing is before it.
  using OnText = std::function<void(std::string_view, bool at_start)>;
  using OnId = std::function<void(std::int32_t)>;

  AddedTokens() = default;
  /// `normalize`, if given, is applied to each stretch between the tokens of the first pass, and to the spellings that
  /// the second pass looks for.
  explicit AddedTokens(const std::vector<AddedToken>& tokens, Normalize normalize = {});

  /// Calls `on_text` for each stretch between added tokens (never empty; normalized) and `on_id` for each token, in
  /// order. Without a normaliser the stretches are views into `text`.
  void split(std::string_view text, bool parse_special, const OnText& on_text, const OnId& on_id) const;

 private:
  struct Pass {
    std::vector<AddedToken> tokens;
    TokenFinder finder;  ///< its token numbers are indices of `tokens`
    void cut(std::string_view text, bool parse_special, const OnText& on_text, const OnId& on_id) const;
  };
  Normalize normalize_;
  Pass passes_[2];
};

}  // namespace carryover
