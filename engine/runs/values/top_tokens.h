// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace carryover {

struct TopToken {
  std::int32_t id = 0;
  float logprob = 0;  ///< ln p
  bool operator==(const TopToken&) const = default;
};

/// Returns the `count` likeliest tokens by a row of logits, best first (ties: the lower id), followed by `target` if it
/// is none of them. `target_logprob` is its ln p as computed elsewhere, which is returned as the same number; a token
/// whose ln p would cross it by rounding gets that number, so that the order is that of the logits. logits: [V],
/// finite.
std::vector<TopToken> top_tokens(std::span<const float> logits, std::int32_t target, float target_logprob,
                                 std::int64_t count);

}  // namespace carryover
