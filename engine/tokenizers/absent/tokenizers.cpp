// SPDX-License-Identifier: GPL-3.0-or-later
// Replaces the code that needs SentencePiece and PCRE2 if CARRYOVER_TOKENIZERS is off: tokenizers are refused, and
// everything that works on ids still works.
#include "engine/base/error.h"
#include "engine/tokenizers/bpe_pretokenizer.h"
#include "engine/tokenizers/character_class.h"
#include "engine/tokenizers/sentencepiece_pieces.h"

namespace carryover {

namespace {

[[noreturn]] void refuse(const std::string& where) {
  throw EngineError(Fault::Unsupported, where, "can't be read: this program was built without tokenizers",
                    "Give token ids, or build with -DCARRYOVER_TOKENIZERS=ON.");
}

}  // namespace

std::unique_ptr<const PieceModel> sentencepiece_pieces(std::string_view, const SentencePieceFacts&,
                                                       const std::string& where) {
  refuse(where);
}

bool is_word_character(char32_t) {
  refuse("the tokenizer");
}

class BpePretokenizer::Pattern {};

BpePretokenizer::BpePretokenizer(const std::vector<std::string>&, const std::string& where) : where_(where) {
  refuse(where);
}
BpePretokenizer::~BpePretokenizer() = default;

class BpePretokenizer::Run {};

BpePretokenizer::Cutter::Cutter(const BpePretokenizer& pretokenizer, std::size_t) {
  refuse(pretokenizer.where_);
}
BpePretokenizer::Cutter::~Cutter() = default;
void BpePretokenizer::Cutter::split(std::string_view, const OnWord&) {}

}  // namespace carryover
