// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizers/added_tokens.h"

#include <algorithm>

#include "engine/base/utf8.h"
#include "engine/tokenizers/character_class.h"

namespace carryover {

namespace {

std::string_view first_character(std::string_view text) {
  return text.substr(0, first_utf8_unit(text).length);
}

std::string_view last_character(std::string_view text) {
  std::size_t at = text.size() - 1;
  while (at > 0 && (text[at] & 0xC0) == 0x80) --at;
  return text.substr(at);
}

bool stands_alone(std::string_view text, std::size_t begin, std::size_t end) {
  const std::string_view before = text.substr(0, begin), behind = text.substr(end);
  return (before.empty() || !is_word_character(utf8_code(last_character(before)))) &&
         (behind.empty() || !is_word_character(utf8_code(first_character(behind))));
}

/// Returns the begin without the blanks before it, but not less than `least`.
std::size_t without_blanks_before(std::string_view text, std::size_t begin, std::size_t least) {
  while (begin > least) {
    const std::string_view character = last_character(text.substr(0, begin));
    if (!is_blank(utf8_code(character))) break;
    begin -= character.size();
  }
  return begin;
}

std::size_t without_blanks_behind(std::string_view text, std::size_t end) {
  while (end < text.size()) {
    const std::string_view character = first_character(text.substr(end));
    if (!is_blank(utf8_code(character))) break;
    end += character.size();
  }
  return end;
}

}  // namespace

AddedTokens::AddedTokens(const std::vector<AddedToken>& tokens, Normalize normalize)
    : normalize_(std::move(normalize)) {
  for (AddedToken token : tokens) {
    if (token.normalized && normalize_) token.text = normalize_(token.text);
    if (token.text.empty()) continue;
    Pass& pass = passes_[token.normalized ? 1 : 0];
    pass.finder.add(token.text, token.special);
    pass.tokens.push_back(std::move(token));
  }
  for (Pass& pass : passes_) pass.finder.finish();
}

void AddedTokens::Pass::cut(std::string_view text, bool parse_special, const OnText& on_text, const OnId& on_id) const {
  std::size_t done = 0, at = 0;
  const auto on_part = [&](std::size_t begin, std::size_t end) {
    if (begin < end) on_text(text.substr(begin, end - begin), begin == 0);
  };
  const auto matches = finder.find(text, parse_special);
  for (auto match = matches.rbegin(); match != matches.rend(); ++match) {
    if (match->at < at) continue;  // inside the token before
    const AddedToken& token = tokens[static_cast<std::size_t>(match->token)];
    const std::size_t end = match->at + token.text.size();
    if (!token.single_word || stands_alone(text, match->at, end)) {
      on_part(done, token.lstrip ? without_blanks_before(text, match->at, done) : match->at);
      on_id(token.id);
      // Inside the blanks that the previous token took, these end where that token's blanks end.
      done = !token.rstrip ? end : end < done ? done : without_blanks_behind(text, end);
    }
    at = end;
  }
  on_part(done, text.size());
}

void AddedTokens::split(std::string_view text, bool parse_special, const OnText& on_text, const OnId& on_id) const {
  const OnText second_pass = [&](std::string_view part, bool at_start) {
    const OnText inner = [&](std::string_view rest, bool first) { on_text(rest, at_start && first); };
    if (normalize_)
      passes_[1].cut(normalize_(part), parse_special, inner, on_id);
    else
      passes_[1].cut(part, parse_special, inner, on_id);
  };
  passes_[0].cut(text, parse_special, second_pass, on_id);
}

}  // namespace carryover
