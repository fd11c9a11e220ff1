// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/tokenizers/added_tokens.h"
#include "engine/tokenizers/bpe_pretokenizer.h"
#include "engine/tokenizers/byte_pair_merges.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// A byte-level BPE vocabulary as files spell it: each byte of a token is one printable character.
struct BpeDefinition {
  std::string where;                                        ///< file, for errors
  std::vector<std::string> tokens;                          ///< by id; empty for a gap
  std::vector<std::pair<std::string, std::string>> merges;  ///< best first
  std::vector<AddedToken> added;                            ///< in plain spelling; ids inside or after `tokens`
  std::vector<std::string> patterns;                        ///< patterns of the BpePretokenizer
  bool ignore_merges = false;                               ///< true if a word that is a token as a whole is not merged
  bool nfc = false;                                         ///< true if the text is brought to NFC first
  std::optional<std::int32_t> bos, eos;
};

/// Byte-level BPE, as in GPT-2, Llama 3 and SmolLM2.
///
/// Ids equal those of the `tokenizers` library. If a vocabulary lacks a byte (SmolLM2's has no 0x04, for instance),
/// that library drops the character; here encode() throws EngineError{BadInput}, which names it, so that an encoded
/// text always comes back, but for its normalization to NFC where the vocabulary's file asks for it.
class BpeTokenizer final : public Tokenizer {
 public:
  /// Throws EngineError{BadInput}, which names the file: a merge of unknown tokens, a repeated token, an id out of
  /// range.
  explicit BpeTokenizer(const BpeDefinition& definition);

  std::int64_t vocabulary() const override { return static_cast<std::int64_t>(bytes_.size()); }
  std::optional<std::int32_t> bos() const override { return bos_; }
  std::optional<std::int32_t> eos() const override { return eos_; }
  std::vector<std::int32_t> encode(std::string_view text, bool parse_special) const override;
  std::string bytes(std::int32_t id) const override;
  std::string decode(std::span<const std::int32_t> ids) const override;

 private:
  struct Encoding;
  void add_tokens(const BpeDefinition& definition);
  void add_merges(const BpeDefinition& definition);
  void add_added(const BpeDefinition& definition);
  void merge_word(std::string_view word, std::vector<std::int32_t>& ids) const;
  void encode_words(std::string_view part, std::size_t offset, BpePretokenizer::Cutter& cutter, Encoding& encoding,
                    std::vector<std::int32_t>& ids) const;
  [[noreturn]] void refuse_character(std::string_view part, std::size_t from, std::size_t offset) const;

  std::string where_;
  std::vector<std::string> bytes_;                          ///< by id
  std::unordered_map<std::string, std::int32_t> by_bytes_;  ///< only tokens that merges can make
  std::array<std::int32_t, 256> byte_ids_{};
  BytePairMerges merges_;
  AddedTokens added_;
  BpePretokenizer pretokenizer_;
  bool ignore_merges_ = false, nfc_ = false;
  std::optional<std::int32_t> bos_, eos_;
};

/// Returns the bytes that a byte-level token spells, or nullopt if a character stands for no byte.
std::optional<std::string> bytes_of_byte_level(std::string_view token);
/// Returns the byte-level spelling of bytes.
std::string byte_level_of_bytes(std::string_view bytes);

/// More ids than any model has. The limit keeps a file that names id 2³¹ from allocating as many entries.
inline constexpr std::int64_t kMaxVocabulary = std::int64_t{1} << 24;

}  // namespace carryover
