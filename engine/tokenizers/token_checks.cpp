// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizers/token_checks.h"

#include "engine/base/error.h"
#include "engine/base/utf8.h"
#include "engine/tokenizers/character_class.h"
#include "engine/tokenizers/piece_model.h"

namespace carryover {

void require_rows(std::span<const std::int32_t> ids, std::int64_t rows, const Tokenizer& tokenizer) {
  for (const std::int32_t id : ids) {
    if (id < rows) continue;
    std::string spelled = tokenizer.bytes(id);
    throw EngineError(Fault::BadInput, "the text",
                      "holds the token '" + take_utf8(spelled, true).substr(0, 80) + "' with id " + std::to_string(id) +
                          ", but the model's embedding has " + std::to_string(rows) + " rows (ids 0 to " +
                          std::to_string(rows - 1) + ")",
                      "The tokenizer has more tokens than these weights: remove that token from the text, or fetch "
                      "weights that were trained with it.");
  }
}

namespace {

/// Walks over a text in parallel with the bytes of its tokens.
class Alignment {
 public:
  explicit Alignment(std::string_view text) : text_(text) {}

  std::size_t pass(std::string_view bytes) {
    for (const char byte : bytes) {
      // A space that the text lacks was put in front; any other byte follows blanks that a token took.
      if (take(byte) || byte == ' ') continue;
      skip_blanks(byte);
      take(byte);
    }
    return at_;
  }

 private:
  bool take(char byte) {
    const std::string_view rest = text_.substr(at_);
    const bool marked = byte == ' ' && rest.starts_with(kSpaceMark);
    if (!marked && !rest.starts_with(byte)) return false;
    at_ += marked ? kSpaceMark.size() : 1;
    return true;
  }

  void skip_blanks(char byte) {
    while (at_ < text_.size() && text_[at_] != byte) {
      const std::string_view character = text_.substr(at_, first_utf8_unit(text_.substr(at_)).length);
      if (!is_blank(utf8_code(character)) && character != kSpaceMark) return;
      at_ += character.size();
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<std::size_t> token_ends(std::span<const std::int32_t> ids, std::string_view text,
                                    const Tokenizer& tokenizer) {
  std::vector<std::size_t> ends;
  ends.reserve(ids.size());
  Alignment alignment(text);
  std::optional<std::int32_t> previous;
  for (const std::int32_t id : ids) {
    ends.push_back(alignment.pass(tokenizer.bytes_behind(previous, id)));
    previous = id;
  }
  if (!ends.empty()) ends.back() = text.size();
  return ends;
}

bool put_bos_first(std::vector<std::int32_t>& ids, const Tokenizer& tokenizer, const std::string& where) {
  if (!tokenizer.bos()) throw EngineError(Fault::BadInput, where, "has no BOS token", "Leave out BOS.");
  return put_any_bos_first(ids, tokenizer);
}

bool put_any_bos_first(std::vector<std::int32_t>& ids, const Tokenizer& tokenizer) {
  const auto bos = tokenizer.bos();
  if (!bos || (!ids.empty() && ids.front() == *bos)) return false;
  ids.insert(ids.begin(), *bos);
  return true;
}

}  // namespace carryover
