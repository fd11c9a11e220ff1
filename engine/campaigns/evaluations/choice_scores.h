// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace carryover {

/// A choice behind a prompt, and the loss of each of its tokens in nats.
struct ScoredChoice {
  std::vector<std::int32_t> ids;
  std::vector<double> nll;
};

/// Returns true or false if the losses decide whether greedy decoding would give choice `which`: a token with more than
/// half of the probability is the likeliest, and one that is less likely than another choice's at the same place,
/// behind the same tokens, is not. Returns nothing where they don't decide it. Pure; any thread.
std::optional<bool> greedy_by_losses(std::span<const ScoredChoice> choices, std::size_t which);

/// Returns true if each of `ids` has the largest of its row's logits, [ids, V]. Pure; any thread.
bool are_largest(std::span<const float> logits, std::span<const std::int32_t> ids);

}  // namespace carryover
