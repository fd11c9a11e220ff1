// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/answer_parts.h"

#include <utility>

#include "engine/base/utf8.h"

namespace carryover {

AnswerPart AnswerParts::push(const GeneratedToken& token) {
  const FirstBlank blank = std::exchange(blank_, FirstBlank::Keep);
  held_.push_back({token, decoded_, blank, false});
  pending_ += spelled_token(tokenizer_, token.id, blank);
  return decoded(take_utf8(pending_, false));
}

AnswerPart AnswerParts::push_end(const GeneratedToken& token) {
  AnswerPart part = decoded(take_utf8(pending_, true));
  held_.push_back({token, decoded_, FirstBlank::Keep, true});
  return part;
}

AnswerPart AnswerParts::finish() {
  AnswerPart part = decoded(take_utf8(pending_, true));
  if (stopped()) return part;
  give(part, filter_.finish());
  part.tokens.insert(part.tokens.end(), held_.begin(), held_.end());
  held_.clear();
  return part;
}

AnswerPart AnswerParts::decoded(const std::string& text) {
  decoded_ += count_characters(text);
  AnswerPart part;
  give(part, filter_.push(text));
  return part;
}

void AnswerParts::give(AnswerPart& part, const std::string& text) {
  part.text += text;
  given_ += count_characters(text);
  for (; !held_.empty() && held_.front().offset < given_; held_.pop_front())
    part.tokens.push_back(std::move(held_.front()));
}

}  // namespace carryover
