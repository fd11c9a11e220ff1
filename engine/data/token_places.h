// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/runs/values/hits.h"
#include "engine/tokenizers/token_checks.h"

namespace carryover {

/// The places of tokens in their text, in bytes. A BOS in front has no place. A plain value.
class TokenPlaces {
 public:
  TokenPlaces(const std::vector<std::int32_t>& ids, std::string_view text, const Tokenizer& tokenizer)
      : ends_(token_ends(ids, text, tokenizer)) {}
  /// Returns the tokens that hold any of these bytes.
  TokenRange range(std::size_t first, std::size_t last) const {
    const auto ends_behind = [&](std::size_t byte) {
      return std::upper_bound(ends_.begin(), ends_.end(), byte) - ends_.begin();
    };
    return {ends_behind(first), ends_behind(last - 1) + 1};
  }

 private:
  std::vector<std::size_t> ends_;
};

}  // namespace carryover
