// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizers/added_tokens.h"

#include <algorithm>

namespace carryover {

namespace {

using OnText = std::function<void(std::string_view)>;
using OnId = std::function<void(std::int32_t)>;

template <typename Find>
void cut(std::string_view text, const Find& find, const OnText& on_text, const OnId& on_id) {
  std::size_t start = 0, at = 0;
  while (at < text.size()) {
    const AddedToken* token = find(text.substr(at));
    if (token == nullptr) {
      ++at;
      continue;
    }
    if (at > start) on_text(text.substr(start, at - start));
    on_id(token->id);
    at += token->text.size();
    start = at;
  }
  if (start < text.size()) on_text(text.substr(start));
}

}  // namespace

AddedTokens::AddedTokens(const std::vector<AddedToken>& tokens) {
  for (const AddedToken& token : tokens) {
    if (!token.text.empty()) passes_[token.normalized ? 1 : 0][token.text.front()].push_back(token);
  }
  for (ByFirstByte& pass : passes_) {
    for (auto& [first, same_start] : pass) {
      std::stable_sort(same_start.begin(), same_start.end(),
                       [](const AddedToken& a, const AddedToken& b) { return a.text.size() > b.text.size(); });
    }
  }
}

const AddedToken* AddedTokens::find_at(const ByFirstByte& tokens, std::string_view rest, bool parse_special) {
  const auto same_start = tokens.find(rest.front());
  if (same_start == tokens.end()) return nullptr;
  for (const AddedToken& token : same_start->second) {
    if ((parse_special || !token.special) && rest.starts_with(token.text)) return &token;
  }
  return nullptr;
}

void AddedTokens::split(std::string_view text, bool parse_special, const OnText& on_text, const OnId& on_id) const {
  const auto finder = [parse_special](const ByFirstByte& tokens) {
    return [&tokens, parse_special](std::string_view rest) { return find_at(tokens, rest, parse_special); };
  };
  const OnText second_pass = [&](std::string_view part) { cut(part, finder(passes_[1]), on_text, on_id); };
  cut(text, finder(passes_[0]), second_pass, on_id);
}

}  // namespace carryover
