// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/logprob_list.h"

#include <utility>

#include "app/serve/token_text.h"
#include "engine/base/utf8.h"

namespace carryover {

namespace {

constexpr const char* kBytesMark = "bytes:";

}  // namespace

std::vector<std::string> token_pieces(const Tokenizer& tokenizer, std::span<const std::int32_t> ids) {
  std::vector<std::string> pieces;
  FirstBlank blank = FirstBlank::Drop;
  for (const std::int32_t id : ids) {
    pieces.push_back(spelled_token(tokenizer, id, blank));
    if (tokenizer.bos() != id) blank = FirstBlank::Keep;
  }
  return pieces;
}

void LogprobList::add(std::int32_t id, std::int64_t offset, std::optional<float> logprob,
                      std::span<const TopToken> top) {
  const std::string shown = shown_token(tokenizer_.bytes(id), kBytesMark);
  tokens_.emplace_back(shown);
  offsets_.emplace_back(offset);
  if (!logprob) {
    logprobs_.emplace_back();
    top_.emplace_back();
    return;
  }
  logprobs_.emplace_back(*logprob);
  nlohmann::json likeliest = nlohmann::json::object();
  // Tokens may look the same; the likelier one stays.
  for (const TopToken& token : top)
    likeliest.emplace(shown_token(tokenizer_.bytes(token.id), kBytesMark), token.logprob);
  if (top.empty()) likeliest.emplace(shown, *logprob);
  top_.push_back(std::move(likeliest));
}

void LogprobList::add_text(std::span<const std::int32_t> ids, std::span<const std::string> pieces,
                           const TokenScores& scores) {
  std::string pending;
  std::int64_t characters = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const bool is_first = i == 0;
    add(ids[i], characters, is_first ? std::nullopt : std::optional(scores.logprobs.at(i - 1)),
        is_first || scores.top.empty() ? std::span<const TopToken>() : std::span(scores.top.at(i - 1)));
    pending += pieces[i];
    characters += count_characters(take_utf8(pending, false));
  }
}

nlohmann::json LogprobList::take() {
  return {{"tokens", std::exchange(tokens_, {})},
          {"token_logprobs", std::exchange(logprobs_, {})},
          {"top_logprobs", std::exchange(top_, {})},
          {"text_offset", std::exchange(offsets_, {})}};
}

}  // namespace carryover
