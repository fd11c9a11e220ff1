// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizers/piece_model.h"

#include <unordered_map>

#include "engine/base/error.h"

namespace carryover {

namespace {

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  while (!text.empty()) {
    const std::size_t at = std::min(text.find(from), text.size());
    out += text.substr(0, at);
    if (at == text.size()) break;
    out += to;
    text.remove_prefix(at + from.size());
  }
  return out;
}

std::string_view last_character_of(std::string_view text) {
  std::size_t at = text.size() - 1;
  while (at > 0 && (text[at] & 0xC0) == 0x80) --at;
  return text.substr(at);
}

}  // namespace

std::string spaces_as_marks(std::string_view text) {
  return replaced(text, " ", kSpaceMark);
}

std::string marks_as_spaces(std::string_view text) {
  return replaced(text, kSpaceMark, " ");
}

PieceModel::PieceModel(const std::vector<SentencePiece>& pieces, bool parts_words) : parts_words_(parts_words) {
  for (const SentencePiece& piece : pieces) {
    const std::string_view text = piece.text;
    for (std::size_t at = text.find(kSpaceMark, 1); at != std::string_view::npos; at = text.find(kSpaceMark, at + 1))
      before_mark_.emplace(last_character_of(text.substr(0, at)));
  }
}

void PieceModel::encode(std::string_view marked, std::vector<std::int32_t>& ids) const {
  if (const std::int32_t id = whole(marked); id >= 0) return ids.push_back(id);
  std::unordered_map<std::string_view, std::vector<std::int32_t>> seen;
  while (!marked.empty()) {
    const std::string_view word = marked.substr(0, word_length(marked));
    const auto [entry, is_new] = seen.try_emplace(word);
    if (is_new) encode_word(word, entry->second);
    ids.insert(ids.end(), entry->second.begin(), entry->second.end());
    marked.remove_prefix(word.size());
  }
}

std::size_t PieceModel::word_length(std::string_view marked) const {
  if (!parts_words_) return marked.size();
  for (std::size_t mark = marked.find(kSpaceMark, 1); mark != std::string_view::npos;
       mark = marked.find(kSpaceMark, mark + 1)) {
    if (!before_mark_.contains(std::string(last_character_of(marked.substr(0, mark))))) return mark;
  }
  return marked.size();
}

std::vector<std::int32_t> byte_pieces(const std::vector<SentencePiece>& pieces, const std::string& where) {
  std::vector<std::int32_t> ids(256, -1);
  std::unordered_set<std::string_view> seen;
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    const std::string& text = pieces[id].text;
    if (!text.empty() && !seen.insert(text).second)
      throw EngineError(Fault::BadInput, where, "the piece '" + text.substr(0, 40) + "' appears twice",
                        "Fetch the file again.");
    if (pieces[id].kind != PieceKind::Byte) continue;
    const auto byte = byte_of_piece(text);
    if (!byte)
      throw EngineError(Fault::BadInput, where, "byte piece " + std::to_string(id) + " names no byte",
                        "Fetch it again.");
    ids[*byte] = static_cast<std::int32_t>(id);
  }
  for (std::size_t byte = 0; byte < ids.size(); ++byte) {
    if (ids[byte] >= 0) continue;
    throw EngineError(Fault::Unsupported, where,
                      "has no piece for byte " + std::to_string(byte) + ", so it can't spell every text",
                      "Use a model with byte fallback, as LLaMA's are.");
  }
  if (!seen.contains(kSpaceMark))
    throw EngineError(Fault::Unsupported, where, "has no piece for a space", "Use a model as LLaMA's are.");
  return ids;
}

}  // namespace carryover
