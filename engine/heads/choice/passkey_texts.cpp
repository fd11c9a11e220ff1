// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/heads/choice/passkey_texts.h"

#include <algorithm>
#include <string>

#include "engine/base/error.h"
#include "engine/base/split_mix.h"
#include "engine/runs/values/snapshot_check.h"

namespace carryover {

namespace {

using Tokens = std::vector<std::int32_t>;

constexpr std::int64_t kMostPasskeys = 10;                           ///< default, DuoAttention's number
constexpr std::int64_t kMostTokens = std::int64_t{1} << 24;          ///< most tokens of a text
constexpr std::int64_t kMostWords = 4096, kMostTokensOfPart = 4096;  ///< in a passkey; in a part other than hay

[[noreturn]] void refuse_passkeys(const std::string& what, const std::string& advice) {
  throw EngineError(Fault::BadInput, "passkey texts", what, advice);
}

std::int64_t longest_of(const std::vector<Tokens>& parts) {
  std::int64_t longest = 0;
  for (const Tokens& part : parts) longest = std::max<std::int64_t>(longest, std::ssize(part));
  return longest;
}

/// Returns the largest number of tokens that are not hay.
std::int64_t most_beside_hay(const PasskeyParts& parts, std::int64_t passkeys, std::int64_t words) {
  const std::int64_t passkey = words * longest_of(parts.words) + std::ssize(parts.ending);
  std::int64_t tokens = std::ssize(parts.opening) + std::ssize(parts.closing) + 2 * passkeys * passkey;
  for (std::size_t i = 0; i < static_cast<std::size_t>(passkeys); ++i)
    tokens += std::ssize(parts.statements[i]) + std::ssize(parts.questions[i]);
  return tokens;
}

void check_part(const Tokens& part, std::int64_t vocabulary) {
  if (std::ssize(part) > kMostTokensOfPart)
    refuse_passkeys("have a part of more than 4096 tokens", "Give a shorter one.");
  check_ids(part, vocabulary, "passkey texts");
}

void append_part(Tokens& to, const Tokens& part) {
  to.insert(to.end(), part.begin(), part.end());
}

Tokens draw_passkey(const PasskeyParts& parts, std::int64_t words, SplitMix& draw) {
  Tokens passkey;
  for (std::int64_t word = 0; word < words; ++word) append_part(passkey, parts.words[draw.below(parts.words.size())]);
  append_part(passkey, parts.ending);
  return passkey;
}

/// Draws the places of passkeys in `hay` tokens of hay, ascending.
std::vector<std::int64_t> draw_places(std::int64_t hay, std::int64_t passkeys, SplitMix& draw) {
  std::vector<std::int64_t> places;
  const std::int64_t first = hay / 20, spread = hay - 2 * first + 1;
  for (std::int64_t i = 0; i < passkeys; ++i)
    places.push_back(first + static_cast<std::int64_t>(draw.below(static_cast<std::uint64_t>(spread))));
  std::ranges::sort(places);
  return places;
}

}  // namespace

std::int64_t passkeys_that_fit(const PasskeyParts& parts, std::int64_t words, std::int64_t tokens) {
  std::int64_t passkeys =
      std::min<std::int64_t>({kMostPasskeys, std::ssize(parts.statements), std::ssize(parts.questions)});
  while (passkeys > 0 && most_beside_hay(parts, passkeys, words) > tokens / 2) --passkeys;
  return passkeys;
}

void check_passkeys(const PasskeyParts& parts, const PasskeyPlan& plan, std::int64_t vocabulary) {
  if (!parts.hay || parts.hay->empty() || parts.words.empty() || parts.statements.size() != parts.questions.size())
    refuse_passkeys("have no text, or lack a part of a passkey", "Give a text into which passkeys are inserted.");
  check_ids(*parts.hay, vocabulary, "the haystack");
  for (const auto* list : {&parts.statements, &parts.questions, &parts.words})
    for (const Tokens& part : *list) check_part(part, vocabulary);
  for (const Tokens* part : {&parts.opening, &parts.closing, &parts.ending}) check_part(*part, vocabulary);
  if (longest_of(parts.words) == 0) refuse_passkeys("have no words", "Give words of one token or more.");
  if (plan.shortest < 1 || plan.shortest > plan.longest || plan.longest > kMostTokens)
    refuse_passkeys(
        "are to have from " + std::to_string(plan.shortest) + " to " + std::to_string(plan.longest) + " tokens",
        "Give lengths from 1 to 2^24, the shorter one first.");
  if (plan.passkeys < 1 || plan.passkeys > std::ssize(parts.statements))
    refuse_passkeys("are to have " + std::to_string(plan.passkeys) + " passkeys",
                    "Give 1 to " + std::to_string(parts.statements.size()) + ".");
  if (plan.words < 1 || plan.words > kMostWords)
    refuse_passkeys("are to have passkeys of " + std::to_string(plan.words) + " words", "Give 1 to 4096.");
  if (const std::int64_t beside = most_beside_hay(parts, plan.passkeys, plan.words);
      beside > plan.shortest - plan.shortest / 4)
    refuse_passkeys("of " + std::to_string(plan.shortest) + " tokens are too short for " +
                        std::to_string(plan.passkeys) + " passkeys and their questions, which take up to " +
                        std::to_string(beside),
                    "Give longer texts, fewer passkeys, or fewer words of each.");
}

PasskeyText make_passkey_text(const PasskeyParts& parts, const PasskeyPlan& plan, std::int64_t n) {
  SplitMix draw(mixed(static_cast<std::uint64_t>(plan.seed) + kSplitMixStep) ^
                mixed(static_cast<std::uint64_t>(n) + 0x9fb21c651e98df25u));
  const std::int64_t tokens =
      plan.shortest +
      static_cast<std::int64_t>(draw.below(static_cast<std::uint64_t>(plan.longest - plan.shortest + 1)));
  std::vector<Tokens> passkeys;
  std::int64_t hay = tokens - std::ssize(parts.opening) - std::ssize(parts.closing);
  for (std::size_t i = 0; i < static_cast<std::size_t>(plan.passkeys); ++i) {
    passkeys.push_back(draw_passkey(parts, plan.words, draw));
    hay -= std::ssize(parts.statements[i]) + std::ssize(parts.questions[i]) + 2 * std::ssize(passkeys[i]);
  }
  CARRYOVER_CHECK(hay > 0);
  const std::vector<std::int64_t> places = draw_places(hay, plan.passkeys, draw);
  std::size_t next_hay = draw.below(parts.hay->size());

  PasskeyText text{parts.opening};
  std::size_t next = 0;
  for (std::int64_t place = 0; place <= hay; ++place) {
    for (; next < places.size() && places[next] == place; ++next) {
      append_part(text.ids, parts.statements[next]);
      append_part(text.ids, passkeys[next]);
    }
    if (place == hay) break;
    text.ids.push_back((*parts.hay)[next_hay]);
    next_hay = (next_hay + 1) % parts.hay->size();
  }
  append_part(text.ids, parts.closing);
  text.asked_from = std::ssize(text.ids);
  for (std::size_t i = 0; i < passkeys.size(); ++i) {
    append_part(text.ids, parts.questions[i]);
    append_part(text.ids, passkeys[i]);
  }
  return text;
}

}  // namespace carryover
