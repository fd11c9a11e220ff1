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

/// Converts text to ids and back. decode(encode(text)) == text for every UTF-8 text that encode accepts, except what a
/// vocabulary's files drop: U+2581 comes back as a space from SentencePiece's vocabularies, and blanks beside added
/// tokens that take them are lost. Immutable after loading; any thread.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// Loads the tokenizer of a model: of a folder, as transformers reads its files (hf_tokenizer.h), or of a GGUF's
  /// vocabulary. Throws EngineError{BadInput, Unsupported, Io}, which names the file.
  static std::shared_ptr<const Tokenizer> load(const std::string& model_path);

  virtual std::int64_t vocabulary() const = 0;
  virtual std::optional<std::int32_t> bos() const = 0;
  virtual std::optional<std::int32_t> eos() const = 0;
  /// Returns all ids after which a generated text ends, sorted (end_tokens.h).
  const std::vector<std::int32_t>& end_ids() const { return end_ids_; }
  /// Returns notes for the user on how the files were read, as sentences; there are mostly none.
  const std::vector<std::string>& notes() const { return notes_; }
  /// Both are called while the tokenizer is loaded, before another thread has it.
  void set_end_ids(std::vector<std::int32_t> ids) { end_ids_ = std::move(ids); }
  void add_note(std::string note) { notes_.push_back(std::move(note)); }

  /// Encodes a text. Adds no special tokens. `parse_special`: text that spells a special token (<|im_start|>) becomes
  /// that token. Throws EngineError{BadInput} for invalid UTF-8 and for a character that the vocabulary has no bytes
  /// for, with the byte's offset.
  virtual std::vector<std::int32_t> encode(std::string_view text, bool parse_special = false) const = 0;

  /// Returns the bytes that one id stands for inside a text (may be part of a character). Special tokens give their
  /// spelling, unknown ids unknown_id_text(): models often have more rows than their tokenizer has tokens, and sample
  /// from all.
  virtual std::string bytes(std::int32_t id) const = 0;

  /// Returns the bytes of an id after another one, or at the start of a text: without the space that encoding puts
  /// there.
  virtual std::string bytes_behind(std::optional<std::int32_t> previous, std::int32_t id) const {
    return previous ? bytes(id) : decode({&id, 1});
  }

  /// Decodes ids: the inverse of encode(). Other ids become what bytes() returns.
  virtual std::string decode(std::span<const std::int32_t> ids) const = 0;

 private:
  std::vector<std::int32_t> end_ids_;
  std::vector<std::string> notes_;
};

/// Returns the text for an id that a tokenizer does not have: ⟨id 49152⟩.
std::string unknown_id_text(std::int32_t id);

/// Decodes id by id and never returns half a character: the bytes of an incomplete one wait for the next id.
class StreamDecoder {
 public:
  explicit StreamDecoder(std::shared_ptr<const Tokenizer> tokenizer) : tokenizer_(std::move(tokenizer)) {}
  std::string push(std::int32_t id);  ///< whole characters that became complete
  std::string finish();               ///< the rest, with invalid bytes as U+FFFD

 private:
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::string pending_;
  std::optional<std::int32_t> previous_;
};

}  // namespace carryover
