// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizers/gguf_tokenizer.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/formats/mapped_file.h"
#include "engine/tokenizers/end_tokens.h"
#include "engine/tokenizers/named_pretokenizers.h"
#include "engine/tokenizers/sentencepiece_proto.h"
#include "engine/tokenizers/sentencepiece_tokenizer.h"

namespace carryover {

namespace {

/// The spellings with which the chat templates of the supported families begin a message, and end its role.
constexpr std::string_view kTurnMarks[] = {"<start_of_turn>",   "<|im_start|>",      "<|start_header_id|>",
                                           "<|end_header_id|>", "<|start_of_role|>", "<|end_of_role|>"};

class Reader {
 public:
  explicit Reader(const GgufFile& file) : file_(file) {
    const auto tokens = file.find_strings("tokenizer.ggml.tokens");
    if (!tokens || tokens->empty()) broken("has no tokenizer.ggml.tokens");
    if (tokens->size() > static_cast<std::size_t>(kMaxVocabulary)) broken("tokenizer.ggml.tokens is too long");
    tokens_ = *tokens;
    kinds_ = file.find_ints("tokenizer.ggml.token_type").value_or(kinds_by_spelling());
    if (kinds_.size() != tokens_.size()) broken("tokenizer.ggml.token_type and tokens differ in length");
    for (const std::int64_t kind : kinds_) {
      if (kind < 1 || kind > 6)
        broken("tokenizer.ggml.token_type holds " + std::to_string(kind) + ", which is not a token type");
    }
    // Many files call the marks of a turn ordinary tokens, and their chat templates write them out. As in llama.cpp an
    // end is special all the same. No text would ever give the other marks, as ordinary tokens.
    for (std::size_t id = 0; id < tokens_.size(); ++id) {
      const bool is_mark = kind(id) == PieceKind::Normal && std::ranges::count(kTurnMarks, tokens_[id]) > 0;
      if (is_mark || (is_end_spelling(tokens_[id]) && !is_html(id)))
        kinds_[id] = static_cast<std::int64_t>(PieceKind::Control);
    }
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
      if (!token.empty() && (special || kind(id) == PieceKind::UserDefined)) {
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

  PieceVocabulary read_sentencepiece() {
    for (std::size_t id = 0; id < tokens_.size(); ++id)
      if (tokens_[id].empty()) kinds_[id] = static_cast<std::int64_t>(PieceKind::Unused);
    const auto scores = file_.find_floats("tokenizer.ggml.scores");
    if (!scores || scores->size() != tokens_.size()) broken("tokenizer.ggml.scores and tokens differ in length");
    SentencePieceWriter writer;
    mark_one_unknown();
    for (std::size_t id = 0; id < tokens_.size(); ++id)
      writer.add_piece(piece_of(id), static_cast<float>((*scores)[id]), kind(id));
    const auto spelling = [this](const char* key) {
      const auto id = id_of(key);
      return id ? tokens_[static_cast<std::size_t>(*id)] : std::string_view();
    };
    const bool prefix = file_.find_bool("tokenizer.ggml.add_space_prefix").value_or(true);
    return {writer.finish(prefix, spelling("tokenizer.ggml.bos_token_id"), spelling("tokenizer.ggml.eos_token_id")),
            blank_takers()};
  }

 private:
  [[noreturn]] void broken(const std::string& problem) const {
    throw EngineError(Fault::BadInput, file_.where(), problem, "Fetch the file again, or convert the model again.");
  }

  /// Returns the types in a file that states none: bytes are known by their spelling, begin and end by their keys.
  std::vector<std::int64_t> kinds_by_spelling() const {
    std::vector<std::int64_t> kinds(tokens_.size(), static_cast<std::int64_t>(PieceKind::Normal));
    for (std::size_t id = 0; id < tokens_.size(); ++id)
      if (byte_of_piece(tokens_[id])) kinds[id] = static_cast<std::int64_t>(PieceKind::Byte);
    for (const char* key : {"tokenizer.ggml.bos_token_id", "tokenizer.ggml.eos_token_id"})
      if (const auto id = id_of(key))
        kinds[static_cast<std::size_t>(*id)] = static_cast<std::int64_t>(PieceKind::Control);
    return kinds;
  }

  /// Gives one token the type of the unknown one, as SentencePiece demands. Gemma's files give it to none, and those of
  /// Phi-3 to the rows that fill the vocabulary up.
  void mark_one_unknown() {
    constexpr auto kUnknown = static_cast<std::int64_t>(PieceKind::Unknown);
    const auto first = std::ranges::find(kinds_, kUnknown);
    auto unknown = id_of("tokenizer.ggml.unknown_token_id");
    const bool ends =
        unknown == id_of("tokenizer.ggml.bos_token_id") || unknown == id_of("tokenizer.ggml.eos_token_id");
    if (first != kinds_.end() && (!unknown || ends)) unknown = static_cast<std::int32_t>(first - kinds_.begin());
    if (!unknown) return;
    std::ranges::replace(kinds_, kUnknown, static_cast<std::int64_t>(PieceKind::Unused));
    kinds_[static_cast<std::size_t>(*unknown)] = kUnknown;
  }

  /// Returns the special tokens that take the blanks behind them, which a GGUF has no key for: all of Phi-3's but
  /// three.
  std::vector<std::int32_t> blank_takers() const {
    std::vector<std::int32_t> ids;
    if (file_.find_string("general.architecture").value_or("") != "phi3") return ids;
    for (std::size_t id = 0; id < tokens_.size(); ++id) {
      const bool keeps = tokens_[id] == "<unk>" || tokens_[id] == "<s>" || tokens_[id] == "<|endoftext|>";
      if (kind(id) == PieceKind::Control && !keeps) ids.push_back(static_cast<std::int32_t>(id));
    }
    return ids;
  }

  /// Returns a piece as SentencePiece spells it, which takes no empty one. Gemma's files have user-defined pieces of
  /// blanks, which SentencePiece would never find: it has replaced the blanks of the text when it looks for them.
  std::string piece_of(std::size_t id) const {
    std::string piece(tokens_[id]);
    if (piece.empty()) return "[EMPTY_" + std::to_string(id) + "]";
    if (kind(id) != PieceKind::UserDefined) return piece;
    for (std::size_t at = piece.find(' '); at != std::string::npos; at = piece.find(' ', at)) piece.replace(at, 1, "▁");
    return piece;
  }

  /// Returns true for the "</s>" of a file whose texts end with another token, where it is one of the tags of HTML.
  bool is_html(std::size_t id) const {
    const auto end = id_of("tokenizer.ggml.eos_token_id");
    return tokens_[id] == kStrikeTag && kind(id) != PieceKind::Control && end && *end != static_cast<std::int32_t>(id);
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
    const std::string_view name = file_.find_string("tokenizer.ggml.pre").value_or("default");
    const NamedPretokenizer* found = find_named_pretokenizer(name);
    if (found == nullptr)
      throw EngineError(Fault::Unsupported, file_.where(), "tokenizer.ggml.pre is '" + std::string(name) + "'",
                        "Supported: " + pretokenizer_names() + ".");
    definition.patterns.assign(found->patterns.begin(), found->patterns.end());
    definition.ignore_merges = found->ignore_merges;
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
  const auto& pieces = std::get<PieceVocabulary>(vocabulary);
  return SentencePieceTokenizer::load(pieces.model, file.where(), pieces.blank_takers);
}

}  // namespace carryover
