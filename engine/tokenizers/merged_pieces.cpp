// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizers/merged_pieces.h"

#include <unordered_map>
#include <unordered_set>

#include "engine/base/error.h"
#include "engine/base/utf8.h"
#include "engine/tokenizers/byte_pair_merges.h"

namespace carryover {

namespace {

/// The time to split a piece grows with the square of its length; real pieces have a tenth of this length.
constexpr std::size_t kMostMergedBytes = 512;

class MergedPieces final : public PieceModel {
 public:
  MergedPieces(const PieceMerges& vocabulary, const std::string& where)
      : PieceModel(vocabulary.pieces, true),
        bytes_(byte_pieces(vocabulary.pieces, where)),
        ignore_merges_(vocabulary.ignore_merges) {
    for (std::size_t id = 0; id < vocabulary.pieces.size(); ++id) {
      const std::string& text = vocabulary.pieces[id].text;
      if (!text.empty()) ids_.emplace(text, static_cast<std::int32_t>(id));
    }
    merges_.reserve(vocabulary.merges.size());
    std::int32_t rank = 0;
    for (const auto& [left, right] : vocabulary.merges) {
      const auto id_of = [&](const std::string& text) {
        const auto found = ids_.find(text);
        if (found == ids_.end())
          throw EngineError(
              Fault::BadInput, where,
              "merge " + std::to_string(rank) + " needs '" + text.substr(0, 40) + "', which is not a token",
              "Fetch the file again.");
        return found->second;
      };
      merges_.add(id_of(left), id_of(right), rank, id_of(left + right));
      ++rank;
    }
  }

 private:
  std::int32_t whole(std::string_view marked) const override {
    const auto found = ignore_merges_ ? ids_.find(std::string(marked)) : ids_.end();
    return found == ids_.end() ? -1 : found->second;
  }

  void encode_word(std::string_view word, std::vector<std::int32_t>& ids) const override {
    std::vector<std::int32_t> start;
    start.reserve(word.size());
    while (!word.empty()) {
      const std::string_view character = word.substr(0, first_utf8_unit(word).length);
      if (const auto found = ids_.find(std::string(character)); found != ids_.end())
        start.push_back(found->second);
      else
        for (const char byte : character) start.push_back(bytes_[static_cast<unsigned char>(byte)]);
      word.remove_prefix(character.size());
    }
    merges_.merge(start, ids);
  }

  std::vector<std::int32_t> bytes_;  ///< ids of the 256 bytes
  std::unordered_map<std::string, std::int32_t> ids_;
  BytePairMerges merges_;
  bool ignore_merges_;
};

}  // namespace

std::vector<std::pair<std::string, std::string>> generated_merges(const std::vector<SentencePiece>& pieces) {
  std::unordered_set<std::string_view> known;
  const auto merges_with = [](const SentencePiece& piece) {
    return piece.kind == PieceKind::Normal || piece.kind == PieceKind::UserDefined || piece.kind == PieceKind::Unused;
  };
  for (const SentencePiece& piece : pieces)
    if (merges_with(piece)) known.insert(piece.text);
  std::vector<std::pair<std::string, std::string>> merges;
  for (const SentencePiece& piece : pieces) {
    if (!merges_with(piece) || piece.text.size() > kMostMergedBytes) continue;
    const std::string_view text = piece.text;
    for (std::size_t at = first_utf8_unit(text).length; at < text.size();
         at += first_utf8_unit(text.substr(at)).length) {
      const std::string_view left = text.substr(0, at), right = text.substr(at);
      if (known.contains(left) && known.contains(right)) merges.emplace_back(left, right);
    }
  }
  return merges;
}

std::unique_ptr<const PieceModel> merged_pieces(const PieceMerges& vocabulary, const std::string& where) {
  return std::make_unique<MergedPieces>(vocabulary, where);
}

}  // namespace carryover
