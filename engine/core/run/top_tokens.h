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

/// The `count` likeliest tokens by a row of logits, best first (ties: the lower id), and `target` behind them where it
/// is none of them. `target_logprob` is its ln p as it was computed elsewhere: it stands here as the same number, and
/// what rounds across it is held to its side of it, so that the order is that of the logits. logits: [V], finite.
std::vector<TopToken> top_tokens(std::span<const float> logits, std::int32_t target, float target_logprob,
                                 std::int64_t count);

}  // namespace carryover
