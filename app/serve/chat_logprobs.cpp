// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/chat_logprobs.h"

#include <algorithm>
#include <span>

#include "app/serve/token_text.h"

namespace carryover {

namespace {

nlohmann::json token_json(const std::string& spelled, float logprob) {
  nlohmann::json bytes = nlohmann::json::array();
  for (const char byte : spelled) bytes.push_back(static_cast<unsigned char>(byte));
  return {{"token", shown_token(spelled, "")}, {"logprob", logprob}, {"bytes", std::move(bytes)}};
}

}  // namespace

nlohmann::json chat_logprobs(const Tokenizer& tokenizer, const std::vector<AnswerToken>& tokens, int top) {
  nlohmann::json list = nlohmann::json::array();
  for (const AnswerToken& each : tokens) {
    if (each.is_end) continue;
    const GeneratedToken& token = each.token;
    nlohmann::json entry = token_json(spelled_token(tokenizer, token.id, each.blank), token.logprob);
    nlohmann::json& likeliest = entry["top_logprobs"] = nlohmann::json::array();
    // The list may have the token itself behind its `top` entries.
    for (const TopToken& other : std::span(token.top).first(std::min(token.top.size(), static_cast<std::size_t>(top))))
      likeliest.push_back(token_json(spelled_token(tokenizer, other.id, each.blank), other.logprob));
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace carryover
