// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizers/sentencepiece_tokenizer.h"

#include <sentencepiece_processor.h>

#include <algorithm>
#include <unordered_map>

#include "engine/core/base/error.h"
#include "engine/core/base/utf8.h"
#include "engine/tokenizers/sentencepiece_proto.h"

namespace carryover {

namespace {

constexpr std::string_view kSpaceMark = "\xE2\x96\x81";  // U+2581

std::string with_spaces(std::string_view piece) {
  std::string out;
  for (std::size_t at = 0; at < piece.size();) {
    const bool mark = piece.substr(at).starts_with(kSpaceMark);
    out += mark ? ' ' : piece[at];
    at += mark ? kSpaceMark.size() : 1;
  }
  return out;
}

std::string_view last_character(std::string_view text) {
  std::size_t at = text.size() - 1;
  while (at > 0 && (text[at] & 0xC0) == 0x80) --at;
  return text.substr(at);
}

}  // namespace

struct SentencePieceTokenizer::Library {
  sentencepiece::SentencePieceProcessor processor;
};

SentencePieceTokenizer::SentencePieceTokenizer(std::string where) : where_(std::move(where)) {}
SentencePieceTokenizer::~SentencePieceTokenizer() = default;

std::shared_ptr<const Tokenizer> SentencePieceTokenizer::load(std::string_view model, const std::string& where) {
  const SentencePieceFacts facts = inspect_sentencepiece(model, where);
  auto library = std::make_unique<Library>();
  std::string problem;
  try {
    const auto status = library->processor.LoadFromSerializedProto(without_dummy_prefix(model, where));
    if (!status.ok()) problem = status.ToString();
  } catch (const std::exception& error) {  // the library's trie builder throws its own kind
    problem = error.what();
  }
  if (!problem.empty()) {
    throw EngineError(Fault::BadInput, where, "the SentencePiece library refuses it: " + problem,
                      "Fetch the file again.");
  }
  const std::shared_ptr<SentencePieceTokenizer> made(new SentencePieceTokenizer(where));
  made->library_ = std::move(library);
  made->dummy_prefix_ = facts.dummy_prefix;
  made->splits_words_ = facts.byte_pair;
  made->read_pieces();
  return made;
}

void SentencePieceTokenizer::read_pieces() {
  const auto& processor = library_->processor;
  byte_ids_.assign(256, -1);
  std::vector<AddedToken> control;
  bool spells_space = false;
  for (int id = 0; id < processor.GetPieceSize(); ++id) {
    const std::string& piece = processor.IdToPiece(id);
    if (processor.IsByte(id)) {
      const auto byte = byte_of_piece(piece);
      if (!byte)
        throw EngineError(Fault::BadInput, where_, "byte piece " + std::to_string(id) + " names no byte",
                          "Fetch it again.");
      byte_ids_[*byte] = id;
      bytes_.emplace_back(1, static_cast<char>(*byte));
    } else if (processor.IsControl(id) || processor.IsUnknown(id)) {
      if (processor.IsControl(id)) control.push_back({piece, id, true, false});
      bytes_.push_back(piece);
    } else {
      spells_space = spells_space || piece == kSpaceMark;
      bytes_.push_back(with_spaces(piece));
      const std::string& spelled = bytes_.back();
      for (std::size_t at = spelled.find(' ', 1); at != std::string::npos; at = spelled.find(' ', at + 1)) {
        before_space_.emplace(last_character(std::string_view(spelled).substr(0, at)));
      }
    }
  }
  for (std::size_t byte = 0; byte < byte_ids_.size(); ++byte) {
    if (byte_ids_[byte] >= 0) continue;
    throw EngineError(Fault::Unsupported, where_,
                      "has no piece for byte " + std::to_string(byte) + ", so it can't spell every text",
                      "Use a model with byte fallback, as LLaMA's are.");
  }
  if (!spells_space)
    throw EngineError(Fault::Unsupported, where_, "has no piece for a space", "Use a model as LLaMA's are.");
  control_ = AddedTokens(control);
  if (processor.bos_id() >= 0) bos_ = processor.bos_id();
  if (processor.eos_id() >= 0) eos_ = processor.eos_id();
}

std::vector<std::int32_t> SentencePieceTokenizer::encode(std::string_view text, bool parse_special) const {
  require_utf8(text, "the text");
  std::vector<std::int32_t> ids;
  if (!parse_special) {
    encode_ordinary(text, true, ids);
    return ids;
  }
  control_.split(
      text, true, [&](std::string_view part) { encode_ordinary(part, ids.empty(), ids); },
      [&](std::int32_t id) { ids.push_back(id); });
  return ids;
}

/// Each U+2581 of the text by its bytes, the runs between by the library.
void SentencePieceTokenizer::encode_ordinary(std::string_view text, bool at_start,
                                             std::vector<std::int32_t>& ids) const {
  bool prefix = at_start && dummy_prefix_;
  while (!text.empty()) {
    const std::size_t mark = std::min(text.find(kSpaceMark), text.size());
    if (mark > 0) encode_run(text.substr(0, mark), prefix, ids);
    prefix = false;
    text.remove_prefix(mark);
    if (text.empty()) return;
    for (const char byte : kSpaceMark) ids.push_back(byte_ids_[static_cast<unsigned char>(byte)]);
    text.remove_prefix(kSpaceMark.size());
  }
}

/// No merge of a byte-pair model crosses a place where no piece has these two characters side by side, so words can be
/// encoded one by one, each distinct one once. That is exact, and several times faster than the library on a whole
/// book.
void SentencePieceTokenizer::encode_run(std::string_view text, bool with_prefix, std::vector<std::int32_t>& ids) const {
  std::string input(with_prefix ? 1 : 0, ' ');
  input += text;
  std::unordered_map<std::string_view, std::vector<int>> seen;
  for (std::string_view rest = input; !rest.empty();) {
    const std::string_view word = rest.substr(0, word_length(rest));
    const auto [entry, is_new] = seen.try_emplace(word);
    if (is_new) entry->second = encode_word(word);
    ids.insert(ids.end(), entry->second.begin(), entry->second.end());
    rest.remove_prefix(word.size());
  }
}

std::size_t SentencePieceTokenizer::word_length(std::string_view text) const {
  if (!splits_words_) return text.size();
  for (std::size_t space = text.find(' ', 1); space != std::string_view::npos; space = text.find(' ', space + 1)) {
    if (!before_space_.contains(std::string(last_character(text.substr(0, space))))) return space;
  }
  return text.size();
}

std::vector<int> SentencePieceTokenizer::encode_word(std::string_view word) const {
  std::vector<int> ids;
  const auto status = library_->processor.Encode(word, &ids);
  if (!status.ok()) {
    throw EngineError(Fault::BadInput, where_, "the SentencePiece library can't encode: " + status.ToString(),
                      "Check the model.");
  }
  return ids;
}

std::string SentencePieceTokenizer::bytes(std::int32_t id) const {
  const bool known = id >= 0 && id < vocabulary() && !bytes_[static_cast<std::size_t>(id)].empty();
  return known ? bytes_[static_cast<std::size_t>(id)] : unknown_id_text(id);
}

std::string SentencePieceTokenizer::decode(std::span<const std::int32_t> ids) const {
  std::string text;
  for (const std::int32_t id : ids) text += bytes(id);
  // Only a piece that spells its space with the mark: neither the byte piece of a space nor a control piece.
  const bool drop =
      dummy_prefix_ && text.starts_with(' ') && library_->processor.IdToPiece(ids.front()).starts_with(kSpaceMark);
  return drop ? text.substr(1) : text;
}

}  // namespace carryover
