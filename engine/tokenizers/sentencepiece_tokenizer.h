// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "engine/tokenizers/added_tokens.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// LLaMA's kind of SentencePiece model (tokenizer.model), run by the SentencePiece library.
///
/// Ids are the library's for every text without U+2581. That character is how pieces spell a space, so the library
/// would give a space back for it; here it becomes its three bytes, and every UTF-8 text comes back exactly. A space is
/// put before a text that starts with ordinary text where the model asks for it (add_dummy_prefix), and taken off the
/// first id when decoding.
///
/// That can only be exact for models that keep the text as it is. One whose normaliser is not the identity (NFKC, say),
/// that removes repeated spaces, or has no byte fallback is refused as Unsupported.
class SentencePieceTokenizer final : public Tokenizer {
 public:
  /// `model`: a serialized ModelProto. Throws EngineError{BadInput, Unsupported} naming `where`.
  static std::shared_ptr<const Tokenizer> load(std::string_view model, const std::string& where);
  ~SentencePieceTokenizer() override;

  std::int64_t vocabulary() const override { return static_cast<std::int64_t>(bytes_.size()); }
  std::optional<std::int32_t> bos() const override { return bos_; }
  std::optional<std::int32_t> eos() const override { return eos_; }
  std::vector<std::int32_t> encode(std::string_view text, bool parse_special) const override;
  std::string bytes(std::int32_t id) const override;
  std::string decode(std::span<const std::int32_t> ids) const override;

 private:
  struct Library;
  explicit SentencePieceTokenizer(std::string where);
  void read_pieces();
  void encode_ordinary(std::string_view text, bool at_start, std::vector<std::int32_t>& ids) const;
  void encode_run(std::string_view text, bool with_prefix, std::vector<std::int32_t>& ids) const;
  std::size_t word_length(std::string_view text) const;
  std::vector<int> encode_word(std::string_view word) const;

  std::string where_;
  std::unique_ptr<const Library> library_;
  bool dummy_prefix_ = true;
  bool splits_words_ = false;
  std::unordered_set<std::string> before_space_;  ///< characters that some piece has right before a space
  std::vector<std::string> bytes_;                ///< by id
  std::vector<std::int32_t> byte_ids_;            ///< by byte
  std::optional<std::int32_t> bos_, eos_;
  AddedTokens control_;
};

}  // namespace carryover
