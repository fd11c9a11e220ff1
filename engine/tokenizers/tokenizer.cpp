// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizers/tokenizer.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"
#include "engine/core/base/utf8.h"
#include "engine/formats/input_file.h"
#include "engine/formats/json_file.h"
#include "engine/tokenizers/bpe_tokenizer.h"
#include "engine/tokenizers/gguf_tokenizer.h"
#include "engine/tokenizers/sentencepiece_tokenizer.h"
#include "engine/tokenizers/tokenizer_json.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;

nlohmann::json read_if_there(const fs::path& path) {
  return fs::exists(path) ? read_json_file(path.string()) : nlohmann::json::object();
}

/// tokenizer_config.json spells the begin and end tokens, as a string or as {"content": …}.
std::optional<std::int32_t> find_spelled(const nlohmann::json& config, const char* key,
                                         const BpeDefinition& definition) {
  if (!config.is_object() || !config.contains(key)) return std::nullopt;
  const nlohmann::json& value = config[key];
  const nlohmann::json text = value.is_object() ? value.value("content", nlohmann::json()) : value;
  if (!text.is_string()) return std::nullopt;
  for (const AddedToken& token : definition.added) {
    if (token.text == text.get_ref<const std::string&>()) return token.id;
  }
  return std::nullopt;
}

/// config.json numbers them; of several end tokens the first.
std::optional<std::int32_t> find_numbered(const nlohmann::json& config, const char* key) {
  if (!config.is_object() || !config.contains(key)) return std::nullopt;
  const nlohmann::json& value = config[key];
  const nlohmann::json id = value.is_array() && !value.empty() ? value[0] : value;
  const bool fits = id.is_number_unsigned() && id.get<std::uint64_t>() < static_cast<std::uint64_t>(kMaxVocabulary);
  return fits ? std::optional(id.get<std::int32_t>()) : std::nullopt;
}

std::shared_ptr<const Tokenizer> load_bpe_folder(const fs::path& folder) {
  const std::string file = (folder / "tokenizer.json").string();
  BpeDefinition definition = read_tokenizer_json(read_json_file(file, JsonKind::Tokenizer), file);
  const nlohmann::json spelled = read_if_there(folder / "tokenizer_config.json");
  const nlohmann::json numbered = read_if_there(folder / "config.json");
  definition.bos = find_spelled(spelled, "bos_token", definition);
  definition.eos = find_spelled(spelled, "eos_token", definition);
  if (!definition.bos) definition.bos = find_numbered(numbered, "bos_token_id");
  if (!definition.eos) definition.eos = find_numbered(numbered, "eos_token_id");
  return std::make_shared<BpeTokenizer>(definition);
}

std::shared_ptr<const Tokenizer> load_folder(const fs::path& folder) {
  const fs::path sentencepiece = folder / "tokenizer.model", json = folder / "tokenizer.json";
  if (fs::exists(sentencepiece)) {
    const std::string file = read_whole_file(sentencepiece.string());
    constexpr char kFirstPieceTag = 0x0A;
    if (file.starts_with(kFirstPieceTag)) {
      return SentencePieceTokenizer::load(file, sentencepiece.string());
    }
    // Llama 3's file of this name is another format (lines of base64); its tokenizer.json says the same.
    if (!fs::exists(json)) {
      throw EngineError(Fault::BadInput, sentencepiece.string(), "is not a SentencePiece model",
                        "Fetch it again; for Llama 3, put the model's tokenizer.json beside it.");
    }
  }
  if (fs::exists(json)) return load_bpe_folder(folder);
  throw EngineError(Fault::BadInput, folder.string(), "has no tokenizer: neither tokenizer.model nor tokenizer.json",
                    "Fetch the model's tokenizer into this folder.");
}

}  // namespace

std::shared_ptr<const Tokenizer> Tokenizer::load(const std::string& model_path) {
  std::error_code unreadable;  // then opening it says why
  if (fs::is_directory(model_path, unreadable)) return load_folder(model_path);
  return load_gguf_tokenizer(GgufFile::open(model_path));
}

std::string unknown_id_text(std::int32_t id) {
  return "⟨id " + std::to_string(id) + "⟩";
}

std::string StreamDecoder::push(std::int32_t id) {
  // Only the first id of a text can carry the space that SentencePiece puts before one: decode() takes it off.
  pending_ += first_ ? tokenizer_->decode({&id, 1}) : tokenizer_->bytes(id);
  first_ = false;
  return take_utf8(pending_, false);
}

std::string StreamDecoder::finish() {
  return take_utf8(pending_, true);
}

}  // namespace carryover
