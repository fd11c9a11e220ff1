// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizers/gguf_tokenizer.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/formats/mapped_file.h"
#include "engine/tokenizers/end_tokens.h"
#include "engine/tokenizers/sentencepiece_proto.h"
#include "engine/tokenizers/sentencepiece_tokenizer.h"

namespace carryover {

namespace {

/// The patterns by which llama.cpp cuts if tokenizer.ggml.pre is absent or "default", in the order of a definition.
constexpr const char* kLlamaCppDefault[] = {R"([\p{P}\$\+<=>\^~\|]+)",
                                            R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S))",
                                            R"(\p{N}+)", R"([0-9][0-9][0-9])"};

class Reader {
 public:
  explicit Reader(const GgufFile& file) : file_(file) {
    const auto tokens = file.find_strings("tokenizer.ggml.tokens");
    if (!tokens || tokens->empty()) broken("has no tokenizer.ggml.tokens");
    if (tokens->size() > static_cast<std::size_t>(kMaxVocabulary)) broken("tokenizer.ggml.tokens is too long");
    tokens_ = *tokens;
    kinds_ = file.find_ints("tokenizer.ggml.token_type").value_or(std::vector<std::int64_t>(tokens_.size(), 1));
    if (kinds_.size() != tokens_.size()) broken("tokenizer.ggml.token_type and tokens differ in length");
    for (const std::int64_t kind : kinds_) {
      if (kind < 1 || kind > 6)
        broken("tokenizer.ggml.token_type holds " + std::to_string(kind) + ", which is not a token type");
    }
    // Many files call the end of a turn an ordinary token, and their chat templates write it out. As in llama.cpp it is
    // special all the same.
    for (std::size_t id = 0; id < tokens_.size(); ++id)
      if (is_end_spelling(tokens_[id])) kinds_[id] = static_cast<std::int64_t>(PieceKind::Control);
  }

  BpeDefinition read_bpe() const {
    BpeDefinition definition;
    definition.where = file_.where();
    definition.bos = id_of("tokenizer.ggml.bos_token_id");
    definition.eos = id_of("tokenizer.ggml.eos_token_id");
    choose_patterns(definition);
    for (std::size_t id = 0; id < tokens_.size(); ++id) {
      const std::string token(tokens_[id]);
      definition.tokens.push_back(token);
      const bool special = kind(id) == PieceKind::Control;
      if (special || kind(id) == PieceKind::UserDefined) {
        definition.added.push_back(
            {.text = token, .id = static_cast<std::int32_t>(id), .special = special, .normalized = !special});
      }
    }
    const auto merges = file_.find_strings("tokenizer.ggml.merges");
    if (!merges) broken("has no tokenizer.ggml.merges");
    for (const std::string_view merge : *merges) {
      const std::size_t space = merge.find(' ');
      if (space == std::string_view::npos)
        broken("merge " + std::to_string(definition.merges.size()) + " is not two tokens");
      definition.merges.emplace_back(merge.substr(0, space), merge.substr(space + 1));
    }
    return definition;
  }

  std::string read_sentencepiece() {
    const auto scores = file_.find_floats("tokenizer.ggml.scores");
    if (!scores || scores->size() != tokens_.size()) broken("tokenizer.ggml.scores and tokens differ in length");
    SentencePieceWriter writer;
    mark_unknown();
    for (std::size_t id = 0; id < tokens_.size(); ++id)
      writer.add_piece(piece_of(id), static_cast<float>((*scores)[id]), kind(id));
    const auto spelling = [this](const char* key) {
      const auto id = id_of(key);
      return id ? tokens_[static_cast<std::size_t>(*id)] : std::string_view();
    };
    const bool prefix = file_.find_bool("tokenizer.ggml.add_space_prefix").value_or(true);
    return writer.finish(prefix, spelling("tokenizer.ggml.bos_token_id"), spelling("tokenizer.ggml.eos_token_id"));
  }

 private:
  [[noreturn]] void broken(const std::string& problem) const {
    throw EngineError(Fault::BadInput, file_.where(), problem, "Fetch the file again, or convert the model again.");
  }

  /// Gives the unknown token its type, which Gemma's files do not, and without which SentencePiece refuses a model.
  void mark_unknown() {
    if (std::ranges::count(kinds_, static_cast<std::int64_t>(PieceKind::Unknown)) > 0) return;
    if (const auto unknown = id_of("tokenizer.ggml.unknown_token_id"))
      kinds_[static_cast<std::size_t>(*unknown)] = static_cast<std::int64_t>(PieceKind::Unknown);
  }

  /// Returns a piece as SentencePiece spells it. Gemma's files have user-defined pieces of blanks, which SentencePiece
  /// would never find: it has replaced the blanks of the text when it looks for them.
  std::string piece_of(std::size_t id) const {
    std::string piece(tokens_[id]);
    if (kind(id) != PieceKind::UserDefined) return piece;
    for (std::size_t at = piece.find(' '); at != std::string::npos; at = piece.find(' ', at)) piece.replace(at, 1, "▁");
    return piece;
  }

  PieceKind kind(std::size_t id) const { return static_cast<PieceKind>(kinds_[id]); }

  std::optional<std::int32_t> id_of(const char* key) const {
    const auto id = file_.find_int(key);
    if (!id) return std::nullopt;
    if (*id < 0 || *id >= static_cast<std::int64_t>(tokens_.size()))
      broken(std::string(key) + " is outside the vocabulary");
    return static_cast<std::int32_t>(*id);
  }

  /// Chooses the patterns. If a file names no pre-tokenizer, they are those of llama.cpp.
  void choose_patterns(BpeDefinition& definition) const {
    using namespace pretokenizer_patterns;
    const std::string_view name = file_.find_string("tokenizer.ggml.pre").value_or("default");
    if (name == "smollm" || name == "refact" || name == "starcoder") {
      definition.patterns = {kDigit, kGpt2};
    } else if (name == "llama-bpe" || name == "llama3" || name == "llama-v3") {
      definition.patterns = {kLlama3};
      definition.ignore_merges = true;
    } else if (name == "dbrx" || name == "smaug-bpe") {
      definition.patterns = {kLlama3};
    } else if (name == "gpt-4o") {
      definition.patterns = {kGpt4o};
    } else if (name == "qwen2") {
      definition.patterns = {kQwen2};
    } else if (name == "gpt-2") {
      definition.patterns = {kGpt2};
    } else if (name == "default") {
      definition.patterns = {std::begin(kLlamaCppDefault), std::end(kLlamaCppDefault)};
    } else {
      throw EngineError(Fault::Unsupported, file_.where(), "tokenizer.ggml.pre is '" + std::string(name) + "'",
                        "Supported: smollm, refact, starcoder, llama-bpe, dbrx, smaug-bpe, gpt-4o, qwen2, gpt-2.");
    }
  }

  const GgufFile& file_;
  std::vector<std::string_view> tokens_;
  std::vector<std::int64_t> kinds_;
};

}  // namespace

GgufVocabulary read_gguf_vocabulary(const GgufFile& file) {
  const std::string_view model = file.find_string("tokenizer.ggml.model").value_or("");
  const auto whole = [&](GgufVocabulary vocabulary) {
    if (file.file()) file.file()->require_whole();
    return vocabulary;
  };
  if (model == "gpt2") return whole(Reader(file).read_bpe());
  if (model == "llama") return whole(Reader(file).read_sentencepiece());
  throw EngineError(Fault::Unsupported, file.where(), "tokenizer.ggml.model is '" + std::string(model) + "'",
                    "Supported: gpt2 (byte-level BPE) and llama (SentencePiece).");
}

std::shared_ptr<Tokenizer> load_gguf_tokenizer(const GgufFile& file) {
  const GgufVocabulary vocabulary = read_gguf_vocabulary(file);
  if (const auto* bpe = std::get_if<BpeDefinition>(&vocabulary)) {
    auto tokenizer = std::make_shared<BpeTokenizer>(*bpe);
    if (!file.has("tokenizer.ggml.pre"))
      tokenizer->add_note(
          "The file names no pre-tokenizer (tokenizer.ggml.pre is absent). Text is cut by llama.cpp's default rule, as "
          "llama.cpp does with such a file: digits in threes, punctuation apart. If the model was trained with another "
          "rule, its ids differ and its answers are worse: convert the model again.");
    return tokenizer;
  }
  return SentencePieceTokenizer::load(std::get<std::string>(vocabulary), file.where());
}

}  // namespace carryover
