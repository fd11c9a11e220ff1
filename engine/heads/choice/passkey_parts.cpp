// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/heads/choice/passkey_parts.h"

#include <array>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/split_mix.h"

namespace carryover {

namespace {

using Tokens = std::vector<std::int32_t>;

constexpr std::array<std::string_view, 20> kOrdinals{
    "first",     "second",    "third",       "fourth",     "fifth",      "sixth",      "seventh",
    "eighth",    "ninth",     "tenth",       "eleventh",   "twelfth",    "thirteenth", "fourteenth",
    "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth"};
constexpr std::array<std::string_view, 26> kSpelling{
    "alpha",   "bravo", "charlie", "delta",  "echo",     "foxtrot", "golf",   "hotel",  "india",
    "juliett", "kilo",  "lima",    "mike",   "november", "oscar",   "papa",   "quebec", "romeo",
    "sierra",  "tango", "uniform", "victor", "whiskey",  "xray",    "yankee", "zulu"};

/// Writes the parts in English. Throws EngineError{BadInput} if the vocabulary lacks a character.
void write_sentences(PasskeyParts& parts, const Tokenizer& tokenizer) {
  parts.opening = tokenizer.encode("A long book, in which passkeys are hidden:\n\n");
  parts.closing = tokenizer.encode("\n\nHere the book ends. Questions about it:");
  parts.ending = tokenizer.encode(".\n\n");
  for (const std::string_view ordinal : kOrdinals) {
    const std::string lead = std::string(ordinal) + " passkey of the safe is:";
    parts.statements.push_back(tokenizer.encode("\n\nKeep these words in mind. The " + lead));
    parts.questions.push_back(tokenizer.encode("\n\nWhich words was I to keep in mind? The " + lead));
  }
  for (const std::string_view word : kSpelling) parts.words.push_back(tokenizer.encode(" " + std::string(word)));
}

/// Draws a key of four tokens for each passkey, and words of one token.
void draw_keys(PasskeyParts& parts, std::int64_t seed) {
  constexpr std::size_t kKey = 4, kLeastWords = 8;
  const std::set<std::int32_t> distinct(parts.hay->begin(), parts.hay->end());
  Tokens tokens(distinct.begin(), distinct.end());
  if (tokens.size() < kKey + kLeastWords)
    throw EngineError(Fault::BadInput, "text", "has " + std::to_string(tokens.size()) + " different tokens",
                      "Take a longer text.");
  SplitMix draw(static_cast<std::uint64_t>(seed));
  for (std::size_t left = tokens.size(); left > 1; --left) std::swap(tokens[left - 1], tokens[draw.below(left)]);
  while (parts.words.size() < kSpelling.size() && tokens.size() > kKey) {
    parts.words.push_back({tokens.back()});
    tokens.pop_back();
  }
  while (parts.statements.size() < kOrdinals.size() && tokens.size() >= kKey) {
    parts.statements.emplace_back(tokens.end() - static_cast<std::ptrdiff_t>(kKey), tokens.end());
    tokens.resize(tokens.size() - kKey);
  }
  parts.questions = parts.statements;
}

}  // namespace

PasskeyParts make_passkey_parts(std::vector<std::int32_t> hay, const Tokenizer& tokenizer, std::int64_t seed) {
  PasskeyParts written;
  written.hay = std::make_shared<const Tokens>(std::move(hay));
  PasskeyParts drawn = written;
  try {
    write_sentences(written, tokenizer);
    return written;
  } catch (const EngineError& error) {
    if (error.fault() != Fault::BadInput) throw;  // the vocabulary lacks a character
  }
  draw_keys(drawn, seed);
  return drawn;
}

}  // namespace carryover
