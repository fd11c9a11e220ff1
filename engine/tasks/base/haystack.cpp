// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/base/haystack.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "engine/base/error.h"
#include "engine/tokenizers/token_checks.h"

namespace carryover {

namespace {

constexpr std::int64_t kLeastHay = 16, kLongestSentence = 64;  ///< tokens

bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

}  // namespace

Haystack::Haystack(std::string text, const Tokenizer& tokenizer)
    : text_(std::move(text)), ends_(token_ends(tokenizer.encode(text_), text_, tokenizer)) {}

std::size_t Haystack::bytes(std::int64_t tokens) const {
  return tokens == 0 ? 0 : ends_[static_cast<std::size_t>(tokens - 1)];
}

Haystack::Break Haystack::break_behind(std::int64_t tokens) const {
  const std::size_t at = bytes(tokens);
  if (at == 0 || at == text_.size()) return Break::Sentence;
  if (is_blank(text_[at]) && std::string_view(".!?").find(text_[at - 1]) != std::string_view::npos)
    return Break::Sentence;
  if (is_blank(text_[at])) return Break::Word;
  const bool within_character = (static_cast<unsigned char>(text_[at]) & 0xC0) == 0x80;
  return within_character ? Break::None : Break::Character;
}

std::int64_t Haystack::nearest(std::int64_t wanted, Break kind, std::int64_t reach, std::int64_t lowest,
                               std::int64_t highest) const {
  for (std::int64_t away = 0; away <= reach; ++away)
    for (const std::int64_t tokens : {wanted - away, wanted + away})
      if (tokens >= lowest && tokens <= highest && break_behind(tokens) >= kind) return tokens;
  return -1;
}

std::int64_t Haystack::best(std::int64_t wanted, std::int64_t reach, std::int64_t lowest, std::int64_t highest) const {
  constexpr std::int64_t kLongestWord = 40;  // tokens, of a language that has blanks between words
  std::int64_t found = nearest(wanted, Break::Sentence, reach, lowest, highest);
  if (found < 0) found = nearest(wanted, Break::Word, kLongestWord, lowest, highest);
  if (found < 0) found = nearest(wanted, Break::Character, highest - lowest, lowest, highest);
  return std::max(found, lowest);
}

std::int64_t Haystack::cut(std::int64_t most) const {
  const std::int64_t highest = std::min(most, tokens());
  return best(highest, std::min(kLongestSentence, highest / 20), 0, highest);
}

std::int64_t Haystack::place(std::int64_t count, double depth) const {
  const auto wanted = static_cast<std::int64_t>(std::llround(depth * static_cast<double>(count)));
  if (wanted == 0 || wanted == count) return wanted;
  return best(wanted, count / 250, 0, count);
}

Parted part_to_fit(const Haystack& hay, double depth, std::int64_t most, const Tokenizer& tokenizer,
                   const std::string& task, const std::function<std::string(const Parted&)>& prompt_of) {
  std::int64_t room = most - std::ssize(tokenizer.encode(prompt_of({})));
  while (true) {
    if (room < kLeastHay)
      throw EngineError(Fault::Usage, task, "has no room in " + std::to_string(most) + " tokens of prompt",
                        "Ask for a greater length.");
    if (room > hay.tokens())
      throw EngineError(Fault::BadInput, "data",
                        "has " + std::to_string(hay.tokens()) + " tokens, and a prompt takes " + std::to_string(room),
                        "Name longer texts, or ask for a smaller length.");
    const std::int64_t count = hay.cut(room), before = hay.place(count, depth);
    const std::size_t middle = hay.bytes(before), end = hay.bytes(count);
    Parted parted{hay.text().substr(0, middle), hay.text().substr(middle, end - middle),
                  static_cast<double>(before) / static_cast<double>(std::max<std::int64_t>(count, 1))};
    const std::int64_t excess = std::ssize(tokenizer.encode(prompt_of(parted))) - most;
    if (excess <= 0) return parted;
    room = std::min(room, count) - excess;  // tokens at the seams may be other ones
  }
}

}  // namespace carryover
