// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
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
  bool special = false;     ///< found only where the caller asks for special tokens
  bool normalized = false;  ///< looked for after all tokens that are not
};

/// Cuts a text at its added tokens, as the `tokenizers` library does: leftmost first, the longest of those that start
/// there, in two passes (`normalized` last). Immutable; any thread.
class AddedTokens {
 public:
  using OnText = std::function<void(std::string_view)>;
  using OnId = std::function<void(std::int32_t)>;

  AddedTokens() = default;
  explicit AddedTokens(const std::vector<AddedToken>& tokens);

  /// Calls `on_text` for each stretch between added tokens (never empty) and `on_id` for each token, in order.
  void split(std::string_view text, bool parse_special, const OnText& on_text, const OnId& on_id) const;

 private:
  struct Pass {
    std::vector<AddedToken> tokens;
    TokenFinder finder;  ///< numbers them as they stand in `tokens`
  };
  static void cut(const Pass& pass, std::string_view text, bool parse_special, const OnText& on_text,
                  const OnId& on_id);
  Pass passes_[2];
};

}  // namespace carryover
