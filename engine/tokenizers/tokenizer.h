// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carryover {

/// Text to ids and back. decode(encode(text)) == text for every UTF-8 text that encode takes, but for what a
/// vocabulary's files drop: U+2581 comes back as a space from SentencePiece's, and blanks beside added tokens that take
/// them are gone. Immutable after loading; any thread.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// The tokenizer that belongs to a model: a folder's, as transformers reads its files (hf_tokenizer.h), or a GGUF's
  /// vocabulary. Throws EngineError{BadInput, Unsupported, Io} naming the file.
  static std::shared_ptr<const Tokenizer> load(const std::string& model_path);

  virtual std::int64_t vocabulary() const = 0;
  virtual std::optional<std::int32_t> bos() const = 0;
  virtual std::optional<std::int32_t> eos() const = 0;
  /// All ids after which a generated text ends, sorted (end_tokens.h).
  const std::vector<std::int32_t>& end_ids() const { return end_ids_; }
  /// What a user should know of how the files were read, as sentences; mostly none.
  const std::vector<std::string>& notes() const { return notes_; }
  /// Both are told while the tokenizer is loaded, before another thread has it.
  void set_end_ids(std::vector<std::int32_t> ids) { end_ids_ = std::move(ids); }
  void add_note(std::string note) { notes_.push_back(std::move(note)); }

  /// Adds no special tokens. `parse_special`: text that spells a special token (<|im_start|>) becomes it.
  /// Throws EngineError{BadInput} on invalid UTF-8 and on a character that the vocabulary has no bytes for, with the
  /// byte's offset.
  virtual std::vector<std::int32_t> encode(std::string_view text, bool parse_special = false) const = 0;

  /// The bytes one id stands for inside a text (may be part of a character). Special tokens give their spelling, ids
  /// that are none unknown_id_text(): models often have more rows than their tokenizer has tokens, and sample from all.
  virtual std::string bytes(std::int32_t id) const = 0;

  /// The bytes of an id behind another one, or at the start of a text: without the space that encoding puts there.
  virtual std::string bytes_behind(std::optional<std::int32_t> previous, std::int32_t id) const {
    return previous ? bytes(id) : decode({&id, 1});
  }

  /// Inverse of encode; other ids as bytes() has them.
  virtual std::string decode(std::span<const std::int32_t> ids) const = 0;

 private:
  std::vector<std::int32_t> end_ids_;
  std::vector<std::string> notes_;
};

/// What stands for an id that a tokenizer does not have: ⟨id 49152⟩.
std::string unknown_id_text(std::int32_t id);

/// Decodes id by id and never gives half a character: bytes of an unfinished one wait for the next id.
class StreamDecoder {
 public:
  explicit StreamDecoder(std::shared_ptr<const Tokenizer> tokenizer) : tokenizer_(std::move(tokenizer)) {}
  std::string push(std::int32_t id);  ///< whole characters that became complete
  std::string finish();               ///< what is left, invalid bytes as U+FFFD

 private:
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::string pending_;
  std::optional<std::int32_t> previous_;
};

}  // namespace carryover
