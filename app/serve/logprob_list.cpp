// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/logprob_list.h"

#include <algorithm>
#include <cstdio>

#include "engine/core/base/utf8.h"

namespace carryover {

std::vector<std::string> token_pieces(const Tokenizer& tokenizer, std::span<const std::int32_t> ids,
                                      bool first_blank_stays) {
  std::vector<std::string> pieces;
  bool is_first = !first_blank_stays;
  for (const std::int32_t id : ids) {
    pieces.push_back(is_first ? tokenizer.decode({&id, 1}) : tokenizer.bytes(id));
    is_first = is_first && tokenizer.bos() == id;
  }
  return pieces;
}

std::string shown_token(std::string_view bytes) {
  if (first_invalid_utf8(bytes) == bytes.size()) return std::string(bytes);
  std::string text = "bytes:";
  for (const char byte : bytes) {
    char digits[8];
    std::snprintf(digits, sizeof digits, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    text += digits;
  }
  return text;
}

std::int64_t count_characters(std::string_view text) {
  return std::ranges::count_if(text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; });
}

void LogprobList::add(std::int32_t id, std::string_view piece, std::optional<float> logprob,
                      std::span<const TopToken> top) {
  const std::string shown = shown_token(tokenizer_.bytes(id));
  tokens_.emplace_back(shown);
  offsets_.emplace_back(characters_);
  pending_ += piece;
  characters_ += count_characters(take_utf8(pending_, false));
  if (!logprob) {
    logprobs_.emplace_back();
    top_.emplace_back();
    return;
  }
  logprobs_.emplace_back(*logprob);
  nlohmann::json likeliest = nlohmann::json::object();
  // Tokens may look the same; the likelier one stays.
  for (const TopToken& token : top) likeliest.emplace(shown_token(tokenizer_.bytes(token.id)), token.logprob);
  if (top.empty()) likeliest.emplace(shown, *logprob);
  top_.push_back(std::move(likeliest));
}

void LogprobList::add_all(std::span<const std::int32_t> ids, const std::vector<std::string>& pieces,
                          const TokenScores& scores, std::int64_t first_score) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::int64_t score = first_score + static_cast<std::int64_t>(i);
    if (score < 0) {
      add(ids[i], pieces[i], std::nullopt, {});
      continue;
    }
    const auto at = static_cast<std::size_t>(score);
    const bool has_top = !scores.top.empty();
    add(ids[i], pieces[i], scores.logprobs.at(at),
        has_top ? std::span(scores.top.at(at)) : std::span<const TopToken>());
  }
}

void LogprobList::cut(std::size_t least, std::int64_t characters) {
  std::size_t kept = tokens_.size();
  while (kept > least && offsets_[kept - 1].get<std::int64_t>() >= characters) --kept;
  for (nlohmann::json::array_t* list : {&tokens_, &logprobs_, &top_, &offsets_}) list->resize(kept);
}

nlohmann::json LogprobList::json() const {
  return {{"tokens", tokens_}, {"token_logprobs", logprobs_}, {"top_logprobs", top_}, {"text_offset", offsets_}};
}

}  // namespace carryover
