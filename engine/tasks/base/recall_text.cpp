// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/base/recall_text.h"

#include <algorithm>

namespace carryover {

RecallText::RecallText(const Tokenizer& tokenizer, const std::vector<std::string>& small_talk, std::int64_t most,
                       SplitMix& draw)
    : tokenizer_(tokenizer),
      draw_(draw),
      before_(std::ssize(tokenizer.encode("."))),
      can_fill_(static_cast<std::size_t>(most) + 1) {
  for (const std::string& sentence : small_talk) {
    small_talk_.push_back({sentence, tokens_of(sentence)});
    longest_ = std::max(longest_, small_talk_.back().tokens);
  }
  can_fill_[0] = true;
  for (std::int64_t tokens = 1; tokens <= most; ++tokens)
    can_fill_[static_cast<std::size_t>(tokens)] = std::ranges::any_of(small_talk_, [&](const Talk& talk) {
      return talk.tokens > 0 && talk.tokens <= tokens && can_fill_[static_cast<std::size_t>(tokens - talk.tokens)];
    });
}

std::int64_t RecallText::tokens_of(const std::string& sentence) const {
  return std::ssize(tokenizer_.encode("." + sentence)) - before_;
}

void RecallText::say(const std::string& sentence) {
  // A text's first sentence may have a token more: the blank that SentencePiece puts in front.
  tokens_ += text_.empty() ? std::ssize(tokenizer_.encode(sentence)) : tokens_of(sentence);
  text_ += sentence;
}

void RecallText::fill_to(std::int64_t tokens) {
  if (text_.empty()) {
    const Talk& first = small_talk_[draw_.below(small_talk_.size())];
    if (first.tokens >= tokens) return;
    say(first.sentence);
  }
  std::int64_t room = std::min(tokens - tokens_, std::ssize(can_fill_) - 1);
  while (room > 0 && !can_fill_[static_cast<std::size_t>(room)]) --room;
  std::vector<const Talk*> fitting;
  while (room > 0) {
    fitting.clear();
    for (const Talk& talk : small_talk_)
      if (talk.tokens > 0 && talk.tokens <= room && can_fill_[static_cast<std::size_t>(room - talk.tokens)])
        fitting.push_back(&talk);
    const Talk& talk = *fitting[draw_.below(fitting.size())];
    text_ += talk.sentence;
    tokens_ += talk.tokens;
    room -= talk.tokens;
  }
}

void RecallText::fill_past(std::int64_t tokens) {
  fill_to(tokens);
  if (tokens_ < tokens) say(small_talk_[draw_.below(small_talk_.size())].sentence);
}

}  // namespace carryover
