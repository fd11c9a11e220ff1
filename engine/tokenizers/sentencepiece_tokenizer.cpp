// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizers/sentencepiece_tokenizer.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/utf8.h"
#include "engine/tokenizers/bpe_tokenizer.h"
#include "engine/tokenizers/sentencepiece_pieces.h"
#include "engine/tokenizers/sentencepiece_proto.h"

namespace carryover {

namespace {

AddedTokens::Normalize normalizer(const SpaceRule& spaces) {
  if (!spaces.normalizer_prepends && !spaces.normalizer_replaces && !spaces.doubles) return {};
  return [spaces](std::string_view text) {
    std::string normal = spaces.normalizer_replaces ? spaces_as_marks(text) : std::string(text);
    if (spaces.normalizer_prepends || (spaces.doubles && normal.starts_with(kSpaceMark))) normal.insert(0, kSpaceMark);
    return normal;
  };
}

std::optional<std::int32_t> control_id(const std::vector<SentencePiece>& pieces, const std::string& text) {
  for (std::size_t id = 0; id < pieces.size(); ++id)
    if (pieces[id].kind == PieceKind::Control && pieces[id].text == text) return static_cast<std::int32_t>(id);
  return std::nullopt;
}

}  // namespace

SpaceRule SpaceRule::dummy_prefix(bool on) {
  return {.normalizer_replaces = true, .prefix = on ? Prefix::Always : Prefix::Never, .doubles = on};
}

std::vector<AddedToken> pieces_of_kind(const std::vector<SentencePiece>& pieces,
                                       std::initializer_list<PieceKind> kinds) {
  std::vector<AddedToken> tokens;
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    if (std::ranges::find(kinds, pieces[id].kind) != kinds.end())
      tokens.push_back({.text = pieces[id].text, .id = static_cast<std::int32_t>(id), .special = true});
  }
  return tokens;
}

std::shared_ptr<Tokenizer> SentencePieceTokenizer::load(std::string_view model, const std::string& where,
                                                        const std::vector<std::int32_t>& blank_takers) {
  const SentencePieceFacts facts = inspect_sentencepiece(model, where);
  auto pieces = sentencepiece_pieces(model, facts, where);
  byte_pieces(facts.pieces, where);
  auto special = pieces_of_kind(facts.pieces, {PieceKind::Control, PieceKind::Unknown});
  for (AddedToken& token : special) token.rstrip = std::ranges::count(blank_takers, token.id) > 0;
  return std::make_shared<SentencePieceTokenizer>(
      PieceDefinition{where, facts.pieces, std::move(special), SpaceRule::dummy_prefix(facts.dummy_prefix),
                      control_id(facts.pieces, facts.bos), control_id(facts.pieces, facts.eos)},
      std::move(pieces));
}

SentencePieceTokenizer::SentencePieceTokenizer(const PieceDefinition& definition,
                                               std::unique_ptr<const PieceModel> model)
    : where_(definition.where),
      model_(std::move(model)),
      spaces_(definition.spaces),
      bos_(definition.bos),
      eos_(definition.eos) {
  add_pieces(definition.pieces);
  add_added(definition);
}

void SentencePieceTokenizer::add_pieces(const std::vector<SentencePiece>& pieces) {
  for (const SentencePiece& piece : pieces) {
    const auto id = static_cast<std::int32_t>(bytes_.size());
    if (piece.kind == PieceKind::Byte) {
      bytes_.emplace_back(1, static_cast<char>(byte_of_piece(piece.text).value()));
    } else if (piece.kind == PieceKind::Control || piece.kind == PieceKind::Unknown) {
      bytes_.push_back(piece.text);
    } else {
      bytes_.push_back(marks_as_spaces(piece.text));
      if (piece.text.starts_with(kSpaceMark)) mark_first_.insert(id);
    }
  }
}

/// Returns true if text can give the id of an added token as that of a piece, too. Then both must have the same
/// spelling.
bool SentencePieceTokenizer::stays_a_piece(const SentencePiece& piece, const AddedToken& token) const {
  const bool never_found = piece.text.empty() || piece.kind == PieceKind::Control || piece.kind == PieceKind::Unknown;
  if (never_found) return false;
  if (piece.kind == PieceKind::Byte || piece.text != token.text)
    throw EngineError(Fault::BadInput, where_,
                      "id " + std::to_string(token.id) + " is both the piece '" + piece.text.substr(0, 40) +
                          "' and the added token '" + token.text.substr(0, 40) + "'",
                      "Fetch the tokenizer's files again.");
  return !token.special;
}

void SentencePieceTokenizer::add_added(const PieceDefinition& definition) {
  for (const AddedToken& token : definition.added) {
    if (token.id < 0 || token.id >= kMaxVocabulary || token.text.empty())
      throw EngineError(Fault::BadInput, where_,
                        "the added token '" + token.text.substr(0, 40) + "' has id " + std::to_string(token.id),
                        "Fetch the file again.");
    const auto id = static_cast<std::size_t>(token.id);
    if (id >= bytes_.size()) bytes_.resize(id + 1);
    added_ids_.insert(token.id);
    if (id < definition.pieces.size() && stays_a_piece(definition.pieces[id], token)) continue;
    bytes_[id] = token.text;
    mark_first_.erase(token.id);
  }
  added_ = AddedTokens(definition.added, normalizer(spaces_));
}

std::vector<std::int32_t> SentencePieceTokenizer::encode(std::string_view text, bool parse_special) const {
  require_utf8(text, "the text");
  std::vector<std::int32_t> ids;
  added_.split(
      text, parse_special, [&](std::string_view part, bool at_start) { encode_stretch(part, at_start, ids); },
      [&](std::int32_t id) { ids.push_back(id); });
  return ids;
}

void SentencePieceTokenizer::encode_stretch(std::string_view part, bool at_start,
                                            std::vector<std::int32_t>& ids) const {
  std::string marked = spaces_as_marks(part);
  const bool here =
      spaces_.prefix == SpaceRule::Prefix::Always || (spaces_.prefix == SpaceRule::Prefix::First && at_start);
  if (here && !marked.starts_with(kSpaceMark)) marked.insert(0, kSpaceMark);
  if (!spaces_.splits) return model_->encode(marked, ids);
  for (std::string_view rest = marked; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(kSpaceMark, 1));
    model_->encode(word, ids);
    rest.remove_prefix(word.size());
  }
}

std::string SentencePieceTokenizer::bytes(std::int32_t id) const {
  const bool known = id >= 0 && id < vocabulary() && !bytes_[static_cast<std::size_t>(id)].empty();
  return known ? bytes_[static_cast<std::size_t>(id)] : unknown_id_text(id);
}

/// Returns an id's bytes without the space that encoding puts before a stretch. Only a piece that spells the space with
/// the mark loses it, neither the byte piece of a space nor an added token.
std::string SentencePieceTokenizer::bytes_behind(std::optional<std::int32_t> previous, std::int32_t id) const {
  const bool each = spaces_.normalizer_prepends || spaces_.prefix == SpaceRule::Prefix::Always;
  const bool prefixed =
      previous ? each && added_ids_.contains(*previous) : each || spaces_.prefix == SpaceRule::Prefix::First;
  return prefixed && mark_first_.contains(id) ? bytes(id).substr(1) : bytes(id);
}

std::string SentencePieceTokenizer::decode(std::span<const std::int32_t> ids) const {
  std::string text;
  std::optional<std::int32_t> previous;
  for (const std::int32_t id : ids) {
    text += bytes_behind(previous, id);
    previous = id;
  }
  return text;
}

}  // namespace carryover
