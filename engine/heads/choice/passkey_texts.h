// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

namespace carryover {

/// The parts, as tokens, from which passkey texts are put together. A passkey is a sequence of words without other
/// meaning.
struct PasskeyParts {
  std::vector<std::int32_t> opening, closing;            ///< before the haystack; between it and the questions
  std::vector<std::vector<std::int32_t>> statements;     ///< announce the first, second … passkey in the haystack
  std::vector<std::vector<std::int32_t>> questions;      ///< ask for these passkeys behind it; as many
  std::vector<std::int32_t> ending;                      ///< follows each passkey
  std::vector<std::vector<std::int32_t>> words;          ///< words that passkeys are made of
  std::shared_ptr<const std::vector<std::int32_t>> hay;  ///< starts again where it ends
};

struct PasskeyPlan {
  std::int64_t shortest = 1024, longest = 1024;  ///< tokens of a text
  std::int64_t passkeys = 10;                    ///< number of passkeys in each text
  std::int64_t words = 32;                       ///< length of a passkey
  std::int64_t seed = 1;
};

/// A haystack with passkeys, followed by the question and answer of each passkey.
struct PasskeyText {
  std::vector<std::int32_t> ids;
  std::int64_t asked_from = 0;  ///< index at which the first question begins
};

/// Returns how many passkeys of `words` words leave half of `tokens` to the haystack: at most 10, or 0 if not even one.
std::int64_t passkeys_that_fit(const PasskeyParts& parts, std::int64_t words, std::int64_t tokens);

/// Throws EngineError{BadInput} if parts are missing, if their tokens are outside the vocabulary, or if passkeys leave
/// less than a quarter of the shortest text to the haystack.
void check_passkeys(const PasskeyParts& parts, const PasskeyPlan& plan, std::int64_t vocabulary);

/// Makes the n-th text of a plan, independently of the others. Its length is drawn from plan.shortest to plan.longest,
/// its hay begins at a random place, and passkeys are at 5 % to 95 % of it, in the order of their questions. Parts and
/// plan must have passed check_passkeys().
PasskeyText make_passkey_text(const PasskeyParts& parts, const PasskeyPlan& plan, std::int64_t n);

}  // namespace carryover
