// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizers/end_tokens.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_set>

#include "engine/base/error.h"
#include "engine/formats/gguf.h"
#include "engine/formats/json_file.h"
#include "engine/tokenizers/bpe_tokenizer.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;
using Ids = std::set<std::int32_t>;

const std::unordered_set<std::string_view> kSpellings{"<|eot_id|>",
                                                      "<|im_end|>",
                                                      "<|end|>",
                                                      "<|return|>",
                                                      "<|call|>",
                                                      "<|calls|>",
                                                      "<|flush|>",
                                                      "<end_of_turn>",
                                                      "<|endoftext|>",
                                                      "<|end_of_text|>",
                                                      "<|eom_id|>",
                                                      "</s>",
                                                      "<eos>",
                                                      "[EOS]",
                                                      "<EOT>",
                                                      "_<EOT>",
                                                      "[EOT]",
                                                      "<turn|>",
                                                      "<|tool_response>",
                                                      "<end_of_utterance>",
                                                      "<｜end▁of▁sentence｜>",
                                                      "<|fim_pad|>",
                                                      "<fim-pad>",
                                                      "<fim_pad>",
                                                      "<PAD>",
                                                      "[PAD]",
                                                      "<|fim_repo|>",
                                                      "<|repo_name|>",
                                                      "<fim-repo>",
                                                      "<REPO>",
                                                      "<reponame>",
                                                      "<|file_sep|>"};

constexpr const char* kGgufKeys[] = {"tokenizer.ggml.eos_token_id",     "tokenizer.ggml.eot_token_id",
                                     "tokenizer.ggml.eom_token_id",     "tokenizer.ggml.fim_pad_token_id",
                                     "tokenizer.ggml.fim_rep_token_id", "tokenizer.ggml.fim_sep_token_id"};

void add_from_json(const fs::path& file, Ids& ids) {
  std::error_code unreadable;  // opening it then reports the reason
  if (!fs::exists(file, unreadable) && !unreadable) return;
  const nlohmann::json config = read_json_file(file.string(), JsonKind::Settings);
  const nlohmann::json* value = JsonFields(config, file.string()).find("eos_token_id");
  if (value == nullptr) return;
  const nlohmann::json list = value->is_array() ? *value : nlohmann::json::array({*value});
  for (const nlohmann::json& id : list) {
    if (id.is_number_integer() && !id.is_number_unsigned()) continue;  // -1: there is no such token
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= static_cast<std::uint64_t>(kMaxVocabulary))
      throw EngineError(Fault::BadInput, file.string(), "eos_token_id is neither a token's number nor a list of them",
                        "Repair the file.");
    ids.insert(id.get<std::int32_t>());
  }
}

void add_from_gguf(const GgufFile& file, Ids& ids) {
  for (const char* key : kGgufKeys) {
    const auto id = file.find_int(key);
    if (id && *id >= 0 && *id < kMaxVocabulary) ids.insert(static_cast<std::int32_t>(*id));
  }
}

/// Returns true if a text that spells this token gives it without being asked for special tokens.
bool is_given_by_text(const Tokenizer& tokenizer, const std::string& text, std::int32_t id) {
  try {
    return std::ranges::count(tokenizer.encode(text, false), id) > 0;
  } catch (const EngineError& error) {  // the vocabulary can't spell it otherwise
    if (error.fault() != Fault::BadInput) throw;
    return false;
  }
}

/// Adds the ids of tokens with these spellings. As in llama.cpp, in vocabularies that have a call beside a return or a
/// flush, "<|end|>" ends a part of a message and not a text. In Gemma's, "</s>" is text as other tags are.
void add_by_spelling(const Tokenizer& tokenizer, Ids& ids) {
  std::multimap<std::string, std::int32_t> found;
  for (std::int64_t id = 0; id < tokenizer.vocabulary(); ++id) {
    std::string text = tokenizer.bytes(static_cast<std::int32_t>(id));
    if (is_end_spelling(text)) found.emplace(std::move(text), static_cast<std::int32_t>(id));
  }
  const bool calls = found.contains("<|call|>") || found.contains("<|calls|>");
  if (calls && (found.contains("<|return|>") || found.contains("<|flush|>"))) found.erase("<|end|>");
  for (const auto& [text, id] : found)
    if (text != kStrikeTag || tokenizer.eos() == id || !is_given_by_text(tokenizer, text, id)) ids.insert(id);
}

}  // namespace

bool is_end_spelling(std::string_view token) {
  return kSpellings.contains(token);
}

std::vector<std::int32_t> end_tokens(const std::string& model_path, const Tokenizer* tokenizer) {
  Ids ids;
  std::error_code unreadable;
  if (fs::is_directory(model_path, unreadable)) {
    for (const char* name : {"config.json", "generation_config.json"}) add_from_json(fs::path(model_path) / name, ids);
  } else if (fs::is_regular_file(model_path, unreadable)) {
    add_from_gguf(GgufFile::open(model_path), ids);
  }
  if (tokenizer != nullptr) {
    if (tokenizer->eos()) ids.insert(*tokenizer->eos());
    add_by_spelling(*tokenizer, ids);
  }
  return {ids.begin(), ids.end()};
}

std::vector<std::int32_t> model_end_tokens(const std::string& model_path) {
  std::shared_ptr<const Tokenizer> tokenizer;
  try {
    tokenizer = Tokenizer::load(model_path);
  } catch (const EngineError& error) {  // a model needs no tokenizer: its files still name end tokens
    if (error.fault() != Fault::BadInput && error.fault() != Fault::Unsupported) throw;
    return end_tokens(model_path, nullptr);
  }
  return tokenizer->end_ids();
}

}  // namespace carryover
