// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "app/serve/stop_filter.h"
#include "app/serve/token_text.h"
#include "engine/runs/values/generate_request.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// A token of an answer. A plain value.
struct AnswerToken {
  GeneratedToken token;
  std::int64_t offset = 0;  ///< characters of the answer before it
  FirstBlank blank = FirstBlank::Keep;
  bool is_end = false;  ///< the end of text: it spells nothing
};

/// Some more text of an answer, and the tokens that begin in it. A plain value.
struct AnswerPart {
  std::string text;
  std::vector<AnswerToken> tokens;
};

/// Tokens, as they are decoded, into text in whole characters, up to a stop text. All parts together have each token
/// once that begins before the end of the text, in order: what the stop filter holds back waits with its tokens, and
/// what a stop text cuts goes with them. One thread.
class AnswerParts {
 public:
  AnswerParts(const Tokenizer& tokenizer, FirstBlank blank, std::vector<std::string> stops)
      : tokenizer_(tokenizer), filter_(std::move(stops)), blank_(blank) {}

  AnswerPart push(const GeneratedToken& token);
  AnswerPart push_end(const GeneratedToken& token);  ///< the end of text
  AnswerPart finish();                               ///< the text that is held back, where no more follows
  bool stopped() const { return filter_.stopped(); }

 private:
  AnswerPart decoded(const std::string& text);
  void give(AnswerPart& part, const std::string& text);

  const Tokenizer& tokenizer_;
  StopFilter filter_;
  FirstBlank blank_;
  std::string pending_;           ///< bytes of an unfinished character
  std::deque<AnswerToken> held_;  ///< tokens that are in no part yet
  std::int64_t decoded_ = 0;      ///< characters
  std::int64_t given_ = 0;        ///< of them, in parts
};

}  // namespace carryover
