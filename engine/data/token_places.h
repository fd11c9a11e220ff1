// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/core/base/error.h"
#include "engine/core/run/hits.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// Where tokens lie in the text that they are of, in bytes. What they have more than the text stands in front: a BOS,
/// or the space that SentencePiece puts first. A plain value.
class TokenPlaces {
 public:
  TokenPlaces(const std::vector<std::int32_t>& ids, std::size_t text_bytes, const Tokenizer& tokenizer) {
    ends_.reserve(ids.size());
    for (const std::int32_t id : ids) ends_.push_back((ends_.empty() ? 0 : ends_.back()) + tokenizer.bytes(id).size());
    const std::size_t total = ends_.empty() ? 0 : ends_.back();
    CARRYOVER_CHECK(total >= text_bytes);
    for (std::size_t& end : ends_) end -= std::min(end, total - text_bytes);
  }
  /// The tokens that hold any of these bytes.
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
