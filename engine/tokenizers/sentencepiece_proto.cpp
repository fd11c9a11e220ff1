// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizers/sentencepiece_proto.h"

#include <bit>
#include <charconv>
#include <cmath>

#include "engine/base/error.h"

namespace carryover {

namespace {

// Field numbers of SentencePiece's public schema.
enum Model : std::uint32_t { kPieces = 1, kTrainer = 2, kNormalizer = 3, kSelfTest = 4, kDenormalizer = 5 };
enum Piece : std::uint32_t { kText = 1, kScore = 2, kKind = 3 };
enum Trainer : std::uint32_t {
  kModelType = 3,
  kSuffix = 24,
  kByteFallback = 35,
  kUnknownId = 40,
  kBosId = 41,
  kEosId = 42,
  kUnknownPiece = 45,
  kBosPiece = 46,
  kEosPiece = 47
};
enum Normalizer : std::uint32_t { kName = 1, kCharsMap = 2, kDummyPrefix = 3, kRemoveSpaces = 4, kEscape = 5 };
constexpr std::uint64_t kUnigram = 1, kBytePair = 2;

using Kind = WireField::Kind;

class Inspector {
 public:
  explicit Inspector(const std::string& where) : where_(where) {}

  SentencePieceFacts run(std::string_view model) {
    WireReader reader(model, where_);
    while (const auto field = reader.next()) {
      if (field->kind != Kind::Bytes) continue;
      if (field->number == kPieces) piece(field->bytes);
      if (field->number == kTrainer) trainer(field->bytes);
      if (field->number == kNormalizer) normalizer(field->bytes);
      if (field->number == kDenormalizer) denormalizer(field->bytes);
    }
    if (model_type_ != kUnigram && model_type_ != kBytePair) refuse("is neither a byte-pair nor a unigram model");
    if (suffix_) refuse("puts spaces after words");
    if (!byte_fallback_) refuse("has no byte fallback, so it can't spell every text");
    if (maps_characters_) refuse("rewrites characters before splitting (its normaliser isn't the identity)");
    if (removes_spaces_) refuse("removes repeated spaces");
    if (!escapes_) refuse("does not escape spaces");
    facts_.byte_pair = model_type_ == kBytePair;
    if (!has_bos_) facts_.bos.clear();
    if (!has_eos_) facts_.eos.clear();
    if (!has_unknown_) facts_.unknown.clear();
    return std::move(facts_);
  }

 private:
  [[noreturn]] void refuse(const std::string& problem) const {
    throw EngineError(Fault::Unsupported, where_, "this SentencePiece model " + problem,
                      "Models as LLaMA's are supported: byte-pair, byte fallback, text kept as it is.");
  }

  void piece(std::string_view message) {
    WireReader reader(message, where_);
    SentencePiece& piece = facts_.pieces.emplace_back();
    while (const auto field = reader.next()) {
      if (field->number == kText && field->kind == Kind::Bytes) piece.text = field->bytes;
      if (field->number == kKind && field->kind == Kind::Varint) piece.kind = kind_of(field->value);
      const bool score = field->number == kScore && field->kind == Kind::Fixed32;
      if (score && !std::isfinite(std::bit_cast<float>(static_cast<std::uint32_t>(field->value)))) {
        throw EngineError(Fault::BadInput, where_, "a piece's score is not a number", "Fetch the file again.");
      }
    }
  }

  PieceKind kind_of(std::uint64_t value) const {
    if (value < 1 || value > 6)
      throw EngineError(Fault::BadInput, where_, "a piece has kind " + std::to_string(value), "Fetch the file again.");
    return static_cast<PieceKind>(value);
  }

  void trainer(std::string_view message) {
    WireReader reader(message, where_);
    while (const auto field = reader.next()) {
      if (field->kind == Kind::Bytes) {
        if (field->number == kBosPiece) facts_.bos = field->bytes;
        if (field->number == kEosPiece) facts_.eos = field->bytes;
        if (field->number == kUnknownPiece) facts_.unknown = field->bytes;
      }
      if (field->kind != Kind::Varint) continue;
      if (field->number == kModelType) model_type_ = field->value;
      if (field->number == kSuffix) suffix_ = field->value != 0;
      if (field->number == kByteFallback) byte_fallback_ = field->value != 0;
      const bool has = static_cast<std::int64_t>(field->value) >= 0;
      if (field->number == kBosId) has_bos_ = has;
      if (field->number == kEosId) has_eos_ = has;
      if (field->number == kUnknownId) has_unknown_ = has;
    }
  }

  void normalizer(std::string_view message) {
    WireReader reader(message, where_);
    while (const auto field = reader.next()) {
      if (field->kind == Kind::Bytes && field->number == kCharsMap) maps_characters_ = !field->bytes.empty();
      if (field->kind != Kind::Varint) continue;
      if (field->number == kDummyPrefix) facts_.dummy_prefix = field->value != 0;
      if (field->number == kRemoveSpaces) removes_spaces_ = field->value != 0;
      if (field->number == kEscape) escapes_ = field->value != 0;
    }
  }

  void denormalizer(std::string_view message) {
    WireReader reader(message, where_);
    while (const auto field = reader.next()) {
      if (field->kind == Kind::Bytes && field->number == kCharsMap && !field->bytes.empty()) maps_characters_ = true;
    }
  }

  const std::string& where_;
  SentencePieceFacts facts_;
  // The schema's defaults.
  std::uint64_t model_type_ = kUnigram;
  bool has_bos_ = true, has_eos_ = true, has_unknown_ = true;
  bool suffix_ = false, byte_fallback_ = false, maps_characters_ = false, removes_spaces_ = true, escapes_ = true;
};

}  // namespace

SentencePieceFacts inspect_sentencepiece(std::string_view model, const std::string& where) {
  return Inspector(where).run(model);
}

std::string without_dummy_prefix(std::string_view model, const std::string& where) {
  std::string out;
  WireReader reader(model, where);
  for (std::string_view rest = model; const auto field = reader.next(); rest = reader.rest()) {
    if (field->number != kSelfTest) out += rest.substr(0, rest.size() - reader.rest().size());
  }
  // A message that occurs again is merged into the first, so this sets one field of it.
  WireWriter normalizer, last;
  normalizer.varint(kDummyPrefix, 0);
  last.bytes(kNormalizer, normalizer.message());
  return out + last.message();
}

void SentencePieceWriter::add_piece(std::string_view piece, float score, PieceKind kind) {
  WireWriter message;
  message.bytes(kText, piece);
  message.float32(kScore, score);
  message.varint(kKind, static_cast<std::uint64_t>(kind));
  model_.bytes(kPieces, message.message());
}

std::string SentencePieceWriter::finish(bool dummy_prefix, std::string_view bos, std::string_view eos) {
  WireWriter trainer, normalizer;
  trainer.varint(kModelType, kBytePair);
  trainer.varint(kByteFallback, 1);
  trainer.bytes(kBosPiece, bos);
  trainer.bytes(kEosPiece, eos);
  constexpr auto kNone = static_cast<std::uint64_t>(-1);
  if (bos.empty()) trainer.varint(kBosId, kNone);
  if (eos.empty()) trainer.varint(kEosId, kNone);
  normalizer.bytes(kName, "identity");
  normalizer.varint(kDummyPrefix, dummy_prefix ? 1 : 0);
  normalizer.varint(kRemoveSpaces, 0);
  normalizer.varint(kEscape, 1);
  model_.bytes(kTrainer, trainer.message());
  model_.bytes(kNormalizer, normalizer.message());
  return model_.message();
}

std::optional<std::uint8_t> byte_of_piece(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || !piece.ends_with('>')) return std::nullopt;
  std::uint8_t byte = 0;
  const char* const end = piece.data() + 5;
  const auto [stop, error] = std::from_chars(piece.data() + 3, end, byte, 16);
  return error == std::errc() && stop == end ? std::optional(byte) : std::nullopt;
}

}  // namespace carryover
