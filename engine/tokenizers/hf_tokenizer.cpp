// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizers/hf_tokenizer.h"

#include <filesystem>
#include <unordered_map>
#include <unordered_set>

#include "engine/base/error.h"
#include "engine/formats/input_file.h"
#include "engine/formats/json_file.h"
#include "engine/tokenizers/bpe_tokenizer.h"
#include "engine/tokenizers/declared_tokens.h"
#include "engine/tokenizers/merged_pieces.h"
#include "engine/tokenizers/sentencepiece_pieces.h"
#include "engine/tokenizers/sentencepiece_proto.h"
#include "engine/tokenizers/sentencepiece_tokenizer.h"
#include "engine/tokenizers/tokenizer_json.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Prefix = SpaceRule::Prefix;

const json* find_in(const json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::string text_in(const json& object, const char* key) {
  const json* value = find_in(object, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : "";
}

/// Returns a flag of tokenizer_config.json. If the key is there, transformers counts null as false.
bool flag_in(const json& object, const char* key, bool fallback, const std::string& where) {
  if (!object.is_object() || !object.contains(key)) return fallback;
  return JsonFields(object, where).find_flag(key).value_or(false);
}

/// Returns a begin or end token that config.json gives by number; of several end tokens, the first.
std::optional<std::int32_t> numbered(const json& config, const char* key) {
  const json* value = find_in(config, key);
  if (value == nullptr) return std::nullopt;
  const json id = value->is_array() && !value->empty() ? (*value)[0] : *value;
  const bool fits = id.is_number_unsigned() && id.get<std::uint64_t>() < static_cast<std::uint64_t>(kMaxVocabulary);
  return fits ? std::optional(id.get<std::int32_t>()) : std::nullopt;
}

class Maker {
 public:
  explicit Maker(const HfTokenizerFiles& files) : files_(files) {}

  std::shared_ptr<Tokenizer> make() const {
    if (!files_.tokenizer.is_null())
      return has_byte_fallback(files_.tokenizer) ? from_piece_json() : from_byte_level_json();
    if (files_.sentencepiece) return from_sentencepiece();
    throw EngineError(Fault::BadInput, files_.folder, "has no tokenizer: neither tokenizer.model nor tokenizer.json",
                      "Fetch the model's tokenizer into this folder.");
  }

 private:
  std::string place(const char* name) const { return (fs::path(files_.folder) / name).string(); }

  std::string class_name() const {
    std::string name = text_in(files_.tokenizer_config, "tokenizer_class");
    if (name.empty()) name = text_in(files_.config, "tokenizer_class");
    if (name.ends_with("Fast")) name.resize(name.size() - 4);
    return name;
  }

  /// Returns the tokens that transformers names if its class takes only vocabulary and merges from a file.
  const TokenNames* llama_names() const {
    static const TokenNames plain{{"bos_token", "<s>"}, {"eos_token", "</s>"}, {"unk_token", "<unk>"}};
    static const TokenNames code{{"bos_token", "<s>"},
                                 {"eos_token", "</s>"},
                                 {"unk_token", "<unk>"},
                                 {"prefix_token", "\u2581<PRE>"},
                                 {"middle_token", "\u2581<MID>"},
                                 {"suffix_token", "\u2581<SUF>"},
                                 {"eot_token", "\u2581<EOT>"},
                                 {"fill_token", "<FILL_ME>"}};
    const std::string name = class_name();
    if (text_in(files_.config, "model_type") == "mistral") return nullptr;
    return name == "LlamaTokenizer" ? &plain : name == "CodeLlamaTokenizer" ? &code : nullptr;
  }

  SpaceRule llama_spaces() const {
    const json& config = files_.tokenizer_config;
    const std::string where = place("tokenizer_config.json");
    const bool prefix =
        find_in(config, "add_prefix_space") == nullptr || flag_in(config, "add_prefix_space", true, where);
    const bool each = class_name() == "LlamaTokenizer" && flag_in(config, "legacy", false, where);
    return {.prefix = !prefix ? Prefix::Never : each ? Prefix::Always : Prefix::First};
  }

  std::shared_ptr<Tokenizer> from_byte_level_json() const {
    const std::string where = place("tokenizer.json");
    BpeDefinition definition = read_tokenizer_json(files_.tokenizer, where);
    std::unordered_map<std::string_view, std::int32_t> ids;
    for (std::size_t id = 0; id < definition.tokens.size(); ++id)
      if (!definition.tokens[id].empty()) ids.emplace(definition.tokens[id], static_cast<std::int32_t>(id));
    BaseVocabulary base = base_of(ids);
    base.added = definition.added;
    const DeclaredTokens declared = declared_tokens(files_, std::move(base));
    definition.added = declared.added;
    definition.bos = declared.bos ? declared.bos : numbered(files_.config, "bos_token_id");
    definition.eos = declared.eos ? declared.eos : numbered(files_.config, "eos_token_id");
    return with_notes(std::make_shared<BpeTokenizer>(definition), declared);
  }

  std::shared_ptr<Tokenizer> from_piece_json() const {
    PieceJson read = read_piece_json(files_.tokenizer, place("tokenizer.json"));
    PieceDefinition definition;
    definition.where = place("tokenizer.json");
    definition.pieces = read.vocabulary.pieces;
    definition.spaces = read.spaces;
    const auto ids = ids_of(definition.pieces);
    BaseVocabulary base = base_of(ids);
    if (const TokenNames* names = llama_names()) {
      definition.spaces = llama_spaces();
      read.vocabulary.ignore_merges = false;
      base.named = *names;
    } else {
      base.added = read.added;
    }
    auto model = merged_pieces(read.vocabulary, definition.where);
    return pieces_tokenizer(std::move(definition), std::move(model), std::move(base));
  }

  std::shared_ptr<Tokenizer> from_sentencepiece() const {
    const std::string where = place("tokenizer.model");
    const SentencePieceFacts facts = inspect_sentencepiece(*files_.sentencepiece, where);
    PieceDefinition definition;
    definition.where = where;
    definition.pieces = facts.pieces;
    const auto ids = ids_of(definition.pieces);
    BaseVocabulary base = base_of(ids);
    base.is_model_file = true;
    base.extra = pieces_of_kind(facts.pieces, {PieceKind::Control});
    byte_pieces(facts.pieces, where);
    const TokenNames* names = llama_names();
    if (names == nullptr) {
      const bool each = flag_in(files_.tokenizer_config, "legacy", true, place("tokenizer_config.json"));
      definition.spaces = SpaceRule::dummy_prefix(facts.dummy_prefix);
      if (facts.dummy_prefix && !each) definition.spaces = {.normalizer_replaces = true, .prefix = Prefix::First};
      base.raw_added = facts.dummy_prefix;
      base.named = {{"bos_token", facts.bos}, {"eos_token", facts.eos}, {"unk_token", facts.unknown}};
      std::erase_if(base.named, [](const auto& entry) { return entry.second.empty(); });
      base.find = [found = base.find, listed = listed_pieces(facts.pieces)](const std::string& text) {
        if (const auto by_name = listed.ids.find(text); by_name != listed.ids.end())
          return std::optional(by_name->second);
        const auto id = found(text);
        return id && listed.replaced.contains(*id) ? std::nullopt : id;
      };
      return pieces_tokenizer(std::move(definition), sentencepiece_pieces(*files_.sentencepiece, facts, where),
                              std::move(base));
    }
    definition.spaces = llama_spaces();
    base.named = *names;
    for (std::size_t id = 0; id < facts.pieces.size(); ++id)
      if (facts.pieces[id].kind == PieceKind::UserDefined)
        base.extra.push_back({.text = facts.pieces[id].text, .id = static_cast<std::int32_t>(id)});
    auto model = facts.byte_pair ? merged_pieces({facts.pieces, generated_merges(facts.pieces)}, where)
                                 : sentencepiece_pieces(*files_.sentencepiece, facts, where);
    return pieces_tokenizer(std::move(definition), std::move(model), std::move(base));
  }

  /// The listed tokens and the pieces that they replace. A listed token with a piece's id replaces that piece, unless
  /// its spelling is that of another piece.
  struct ListedPieces {
    std::unordered_map<std::string, std::int32_t> ids;
    std::unordered_set<std::int32_t> replaced;
  };
  ListedPieces listed_pieces(const std::vector<SentencePiece>& pieces) const {
    ListedPieces found;
    const json* listed = find_in(files_.tokenizer_config, "added_tokens_decoder");
    if (listed == nullptr || !listed->is_object()) return found;
    const auto known = ids_of(pieces);
    for (std::size_t id = 0; id < pieces.size(); ++id) {
      const json* token = find_in(*listed, std::to_string(id).c_str());
      const std::string text = token == nullptr ? "" : text_in(*token, "content");
      if (text.empty() || known.contains(text)) continue;
      found.ids.emplace(text, static_cast<std::int32_t>(id));
      found.replaced.insert(static_cast<std::int32_t>(id));
    }
    return found;
  }

  std::shared_ptr<Tokenizer> pieces_tokenizer(PieceDefinition definition, std::unique_ptr<const PieceModel> model,
                                              BaseVocabulary base) const {
    const DeclaredTokens declared = declared_tokens(files_, std::move(base));
    definition.added = declared.added;
    definition.bos = declared.bos ? declared.bos : numbered(files_.config, "bos_token_id");
    definition.eos = declared.eos ? declared.eos : numbered(files_.config, "eos_token_id");
    return with_notes(std::make_shared<SentencePieceTokenizer>(definition, std::move(model)), declared);
  }

  static std::unordered_map<std::string_view, std::int32_t> ids_of(const std::vector<SentencePiece>& pieces) {
    std::unordered_map<std::string_view, std::int32_t> ids;
    for (std::size_t id = 0; id < pieces.size(); ++id)
      if (!pieces[id].text.empty()) ids.emplace(pieces[id].text, static_cast<std::int32_t>(id));
    return ids;
  }

  static BaseVocabulary base_of(const std::unordered_map<std::string_view, std::int32_t>& ids) {
    BaseVocabulary base;
    base.size = std::ssize(ids);
    base.find = [&ids](const std::string& text) {
      const auto found = ids.find(text);
      return found == ids.end() ? std::nullopt : std::optional(found->second);
    };
    return base;
  }

  static std::shared_ptr<Tokenizer> with_notes(std::shared_ptr<Tokenizer> tokenizer, const DeclaredTokens& declared) {
    for (const std::string& note : declared.notes) tokenizer->add_note(note);
    return tokenizer;
  }

  const HfTokenizerFiles& files_;
};

json read_if_there(const fs::path& path, JsonKind kind = JsonKind::Record) {
  return fs::exists(path) ? read_json_file(path.string(), kind) : json();
}

}  // namespace

std::shared_ptr<Tokenizer> make_hf_tokenizer(const HfTokenizerFiles& files) {
  return Maker(files).make();
}

std::shared_ptr<Tokenizer> load_hf_tokenizer(const std::string& path) {
  const fs::path folder = path;
  HfTokenizerFiles files{.folder = path,
                         .config = read_if_there(folder / "config.json", JsonKind::Settings),
                         .tokenizer_config = read_if_there(folder / "tokenizer_config.json"),
                         .special_tokens_map = read_if_there(folder / "special_tokens_map.json"),
                         .added_tokens = read_if_there(folder / "added_tokens.json"),
                         .tokenizer = read_if_there(folder / "tokenizer.json", JsonKind::Tokenizer),
                         .sentencepiece = {}};
  const fs::path model = folder / "tokenizer.model";
  if (files.tokenizer.is_null() && fs::exists(model)) {
    files.sentencepiece = read_whole_file(model.string());
    // Llama 3's file of this name has another format (lines of base64); its tokenizer.json has the same contents.
    constexpr char kFirstPieceTag = 0x0A;
    if (!files.sentencepiece->starts_with(kFirstPieceTag))
      throw EngineError(Fault::BadInput, model.string(), "is not a SentencePiece model",
                        "Fetch it again; for Llama 3, put the model's tokenizer.json beside it.");
  }
  return make_hf_tokenizer(files);
}

}  // namespace carryover
