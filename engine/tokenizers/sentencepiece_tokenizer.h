// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "engine/tokenizers/added_tokens.h"
#include "engine/tokenizers/piece_model.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// The rule by which a vocabulary of pieces puts a space before text. The normaliser works on each stretch between
/// added tokens before `normalized` ones are looked for; the pre-tokenizer works on what is left after that.
struct SpaceRule {
  enum class Prefix { Never, First, Always };
  bool normalizer_prepends = false;  ///< true if the normaliser puts a mark before each stretch
  bool normalizer_replaces = false;  ///< true if the normaliser turns spaces into marks; else the pre-tokenizer does
  Prefix prefix = Prefix::Never;     ///< the pre-tokenizer puts a mark before no stretch, the text's first, or each
  bool doubles = false;              ///< true if the normaliser doubles the mark with which a stretch begins
  bool splits = false;               ///< true if the pre-tokenizer cuts before each mark

  /// SentencePiece's dummy prefix: a space before each stretch, whatever the stretch begins with.
  static SpaceRule dummy_prefix(bool on);
};

/// A vocabulary whose pieces spell spaces with a mark, as in LLaMA 1 and 2.
struct PieceDefinition {
  std::string where = {};                  ///< file, for errors
  std::vector<SentencePiece> pieces = {};  ///< by id; empty text for a gap
  std::vector<AddedToken> added = {};      ///< ids inside or after `pieces`
  SpaceRule spaces = {};
  std::optional<std::int32_t> bos, eos;
};

/// A tokenizer of LLaMA's kind: pieces of text in which spaces are U+2581.
///
/// Ids are those of the SentencePiece library or, for vocabularies that `tokenizers` defines, of that library. As in
/// these, U+2581 in a text is a space and comes back as one. Otherwise a text comes back exactly, except what its files
/// drop: a rule without `doubles` gives "x" and " x" the same ids, and added tokens may take blanks beside them.
///
/// This holds only for models that keep the text as it is. A model whose normaliser is not the identity (NFKC, for
/// instance), that removes repeated spaces, or that has no byte fallback is refused as Unsupported.
class SentencePieceTokenizer final : public Tokenizer {
 public:
  /// Loads a tokenizer. `model`: a serialized ModelProto, read as its library reads it; its control pieces and the
  /// unknown one are special tokens. `blank_takers`: ids of those that take the blanks behind them. Throws
  /// EngineError{BadInput, Unsupported}, which names `where`.
  static std::shared_ptr<Tokenizer> load(std::string_view model, const std::string& where,
                                         const std::vector<std::int32_t>& blank_takers = {});

  /// Throws EngineError{BadInput}, which names `definition.where`, if an id is out of range.
  SentencePieceTokenizer(const PieceDefinition& definition, std::unique_ptr<const PieceModel> model);

  std::int64_t vocabulary() const override { return static_cast<std::int64_t>(bytes_.size()); }
  std::optional<std::int32_t> bos() const override { return bos_; }
  std::optional<std::int32_t> eos() const override { return eos_; }
  std::vector<std::int32_t> encode(std::string_view text, bool parse_special) const override;
  std::string bytes(std::int32_t id) const override;
  std::string bytes_behind(std::optional<std::int32_t> previous, std::int32_t id) const override;
  std::string decode(std::span<const std::int32_t> ids) const override;

 private:
  void add_pieces(const std::vector<SentencePiece>& pieces);
  void add_added(const PieceDefinition& definition);
  bool stays_a_piece(const SentencePiece& piece, const AddedToken& token) const;
  void encode_stretch(std::string_view part, bool at_start, std::vector<std::int32_t>& ids) const;

  std::string where_;
  std::unique_ptr<const PieceModel> model_;
  SpaceRule spaces_;
  std::vector<std::string> bytes_;               ///< by id
  std::unordered_set<std::int32_t> mark_first_;  ///< pieces that begin with a mark
  std::unordered_set<std::int32_t> added_ids_;
  std::optional<std::int32_t> bos_, eos_;
  AddedTokens added_;
};

/// Returns the pieces of these kinds as special tokens.
std::vector<AddedToken> pieces_of_kind(const std::vector<SentencePiece>& pieces,
                                       std::initializer_list<PieceKind> kinds);

}  // namespace carryover
