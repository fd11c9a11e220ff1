// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizers/added_tokens.h"

namespace carryover {

AddedTokens::AddedTokens(const std::vector<AddedToken>& tokens) {
  for (const AddedToken& token : tokens) {
    if (token.text.empty()) continue;
    Pass& pass = passes_[token.normalized ? 1 : 0];
    pass.finder.add(token.text, token.special);
    pass.tokens.push_back(token);
  }
  for (Pass& pass : passes_) pass.finder.finish();
}

void AddedTokens::cut(const Pass& pass, std::string_view text, bool parse_special, const OnText& on_text,
                      const OnId& on_id) {
  std::size_t done = 0;
  const auto matches = pass.finder.find(text, parse_special);
  for (auto match = matches.rbegin(); match != matches.rend(); ++match) {
    if (match->at < done) continue;  // inside the one before
    const AddedToken& token = pass.tokens[static_cast<std::size_t>(match->token)];
    if (match->at > done) on_text(text.substr(done, match->at - done));
    on_id(token.id);
    done = match->at + token.text.size();
  }
  if (done < text.size()) on_text(text.substr(done));
}

void AddedTokens::split(std::string_view text, bool parse_special, const OnText& on_text, const OnId& on_id) const {
  const OnText second_pass = [&](std::string_view part) { cut(passes_[1], part, parse_special, on_text, on_id); };
  cut(passes_[0], text, parse_special, second_pass, on_id);
}

}  // namespace carryover
