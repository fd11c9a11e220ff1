// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

namespace carryover {

/// What passkey texts are put together from, as tokens. A passkey is a sequence of words that says nothing else.
struct PasskeyParts {
  std::vector<std::int32_t> opening, closing;         ///< ahead of the haystack, and between it and the questions
  std::vector<std::vector<std::int32_t>> statements;  ///< what announces the first, second … passkey in the haystack
  std::vector<std::vector<std::int32_t>> questions;   ///< what it answers behind it; as many
  std::vector<std::int32_t> ending;                   ///< behind each passkey
  std::vector<std::vector<std::int32_t>> words;       ///< of passkeys
  std::shared_ptr<const std::vector<std::int32_t>> hay;  ///< from its beginning again where it ends
};

struct PasskeyPlan {
  std::int64_t shortest = 1024, longest = 1024;  ///< tokens of a text
  std::int64_t passkeys = 10;                    ///< in each
  std::int64_t words = 32;                       ///< of a passkey
  std::int64_t seed = 1;
};

/// A haystack with passkeys, and behind it each one's question with its answer.
struct PasskeyText {
  std::vector<std::int32_t> ids;
  std::int64_t asked_from = 0;  ///< where the first question begins
};

/// How many passkeys of so many words leave half of `tokens` to the haystack, at most 10. 0: not even one.
std::int64_t passkeys_that_fit(const PasskeyParts& parts, std::int64_t words, std::int64_t tokens);

/// Throws EngineError{BadInput} where parts are missing or tokens of them outside the vocabulary, or where passkeys
/// leave less than a quarter of the shortest text to the haystack.
void check_passkeys(const PasskeyParts& parts, const PasskeyPlan& plan, std::int64_t vocabulary);

/// The n-th text of a plan, which needs no other: its length is drawn between both, its hay begins anywhere, passkeys
/// stand from 5 % to 95 % of it, in order of their questions. Parts and plan have passed check_passkeys().
PasskeyText make_passkey_text(const PasskeyParts& parts, const PasskeyPlan& plan, std::int64_t n);

}  // namespace carryover
