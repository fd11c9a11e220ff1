// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizers/tokenizer_writer.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/formats/input_file.h"
#include "engine/formats/json_file.h"
#include "engine/formats/output_file.h"
#include "engine/tokenizers/end_tokens.h"
#include "engine/tokenizers/gguf_tokenizer.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr const char* kTokenizerFiles[] = {"tokenizer.model",         "tokenizer.json",    "tokenizer_config.json",
                                           "special_tokens_map.json", "added_tokens.json", "chat_template.jinja"};

void write_json(const fs::path& path, const ordered_json& json) {
  write_file_atomically(path.string(), json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n");
}

ordered_json model_json(const BpeDefinition& definition) {
  ordered_json vocabulary = ordered_json::object(), merges = ordered_json::array();
  auto& entries = vocabulary.get_ref<ordered_json::object_t&>();  // its look-up is linear, so push_back and check are
                                                                  // separate
  std::unordered_map<std::string_view, std::size_t> seen;
  for (std::size_t id = 0; id < definition.tokens.size(); ++id) {
    const std::string& token = definition.tokens[id];
    if (token.empty()) continue;
    if (!seen.emplace(token, id).second) {
      throw EngineError(Fault::Unsupported, definition.where, "the token '" + token.substr(0, 40) + "' appears twice",
                        "Use the model's Hugging Face folder, which has its own tokenizer files.");
    }
    entries.push_back({token, id});
  }
  for (const auto& [left, right] : definition.merges) merges.push_back(left + " " + right);
  return {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", nullptr},
          {"continuing_subword_prefix", nullptr},
          {"end_of_word_suffix", nullptr},
          {"fuse_unk", false},
          {"byte_fallback", false},
          {"ignore_merges", definition.ignore_merges},
          {"vocab", std::move(vocabulary)},
          {"merges", std::move(merges)}};
}

ordered_json byte_level(bool use_regex) {
  return {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", use_regex}};
}

/// Returns the patterns in order, each by the library's name for it. If GPT-2's own pattern is the last, it is
/// ByteLevel's.
ordered_json pretokenizer_json(const std::vector<std::string>& patterns) {
  using namespace pretokenizer_patterns;
  ordered_json parts = ordered_json::array();
  const bool gpt2_last = !patterns.empty() && patterns.back() == kGpt2;
  for (std::size_t i = 0; i < patterns.size() - (gpt2_last ? 1 : 0); ++i) {
    if (patterns[i] == kDigit || patterns[i] == kDigits) {
      parts.push_back({{"type", "Digits"}, {"individual_digits", patterns[i] == kDigit}});
    } else {
      const ordered_json regex{{"Regex", patterns[i]}};
      parts.push_back({{"type", "Split"}, {"pattern", regex}, {"behavior", "Isolated"}, {"invert", false}});
    }
  }
  parts.push_back(byte_level(gpt2_last));
  return parts.size() == 1 ? parts[0] : ordered_json{{"type", "Sequence"}, {"pretokenizers", std::move(parts)}};
}

ordered_json added_tokens_json(const BpeDefinition& definition) {
  ordered_json added = ordered_json::array();
  for (const AddedToken& token : definition.added) {
    added.push_back({{"id", token.id},
                     {"content", token.text},
                     {"single_word", token.single_word},
                     {"lstrip", token.lstrip},
                     {"rstrip", token.rstrip},
                     {"normalized", token.normalized},
                     {"special", token.special}});
  }
  return added;
}

ordered_json begin_template(const std::string& token, std::int32_t id) {
  const auto special = [&](int type) { return ordered_json{{"SpecialToken", {{"id", token}, {"type_id", type}}}}; };
  const auto text = [](const char* name, int type) {
    return ordered_json{{"Sequence", {{"id", name}, {"type_id", type}}}};
  };
  const ordered_json spelled{{"id", token}, {"ids", {id}}, {"tokens", {token}}};
  return {{"type", "TemplateProcessing"},
          {"single", {special(0), text("A", 0)}},
          {"pair", {special(0), text("A", 0), special(1), text("B", 1)}},
          {"special_tokens", {{token, spelled}}}};
}

/// Returns tokenizer_config.json; `spelling` gives an id's text. A tokenizer.model gets no class: transformers then
/// reads it as the SentencePiece library does, which its LlamaTokenizer does not.
template <typename Spelling>
ordered_json tokenizer_config(const GgufFile& file, bool is_json, const Spelling& spelling) {
  ordered_json config{{"clean_up_tokenization_spaces", false}};
  if (is_json) config["tokenizer_class"] = "PreTrainedTokenizerFast";
  for (const auto& [key, name] : {std::pair("tokenizer.ggml.bos_token_id", "bos_token"),
                                  {"tokenizer.ggml.eos_token_id", "eos_token"},
                                  {"tokenizer.ggml.unknown_token_id", "unk_token"},
                                  {"tokenizer.ggml.padding_token_id", "pad_token"}}) {
    if (const auto id = file.find_int(key)) config[name] = spelling(static_cast<std::size_t>(*id));
  }
  for (const auto& [key, name] : {std::pair("tokenizer.ggml.add_bos_token", "add_bos_token"),
                                  {"tokenizer.ggml.add_eos_token", "add_eos_token"}}) {
    if (const auto flag = file.find_bool(key)) config[name] = *flag;
  }
  const std::string architecture(file.find_string("general.architecture").value_or("llama"));
  if (const auto length = file.find_int(architecture + ".context_length")) config["model_max_length"] = *length;
  if (const auto chat = file.find_string("tokenizer.chat_template")) config["chat_template"] = *chat;
  return config;
}

/// Returns the tokens that take the blanks behind them, which a tokenizer.model can't say.
template <typename Spelling>
ordered_json blank_takers_json(const PieceVocabulary& vocabulary, const Spelling& spelling) {
  ordered_json tokens = ordered_json::object();
  for (const std::int32_t id : vocabulary.blank_takers)
    tokens[std::to_string(id)] = {{"content", spelling(static_cast<std::size_t>(id))},
                                  {"lstrip", false},
                                  {"normalized", false},
                                  {"rstrip", true},
                                  {"single_word", false},
                                  {"special", true}};
  return tokens;
}

void write_gguf_tokenizer(const fs::path& directory, const GgufFile& file) {
  const auto tokens = file.find_strings("tokenizer.ggml.tokens");
  if (!tokens) return;
  const GgufVocabulary vocabulary = read_gguf_vocabulary(file);
  const auto spelling = [&](std::size_t id) { return id < tokens->size() ? (*tokens)[id] : std::string_view(); };
  const bool bpe = std::holds_alternative<BpeDefinition>(vocabulary);
  ordered_json config = tokenizer_config(file, bpe, spelling);
  if (bpe) {
    const bool add_bos = file.find_bool("tokenizer.ggml.add_bos_token").value_or(false);
    write_json(directory / "tokenizer.json", tokenizer_json_of(std::get<BpeDefinition>(vocabulary), add_bos));
  } else {
    const auto& pieces = std::get<PieceVocabulary>(vocabulary);
    write_file_atomically((directory / "tokenizer.model").string(), pieces.model);
    if (!pieces.blank_takers.empty()) config["added_tokens_decoder"] = blank_takers_json(pieces, spelling);
  }
  write_json(directory / "tokenizer_config.json", config);
}

void copy_tokenizer(const fs::path& directory, const fs::path& source) {
  std::error_code unreadable;  // opening it then reports the reason
  for (const char* name : kTokenizerFiles) {
    if (fs::exists(source / name, unreadable))
      write_file_atomically((directory / name).string(), read_whole_file((source / name).string()));
  }
}

/// Writes a model folder's generation_config.json, with all end tokens. A model without a tokenizer ends its texts as
/// its config.json says.
void write_generation_config(const fs::path& directory, const std::string& model_path) {
  std::error_code unreadable;
  const fs::path source = fs::path(model_path) / "generation_config.json";
  ordered_json config = ordered_json::object();
  if (fs::exists(source, unreadable))
    config = ordered_json(read_json_file(source.string()));
  else if (!fs::exists(directory / "tokenizer.json") && !fs::exists(directory / "tokenizer.model"))
    return;
  const std::vector<std::int32_t> ends = model_end_tokens(model_path);
  if (!ends.empty()) config["eos_token_id"] = ends.size() == 1 ? ordered_json(ends.front()) : ordered_json(ends);
  if (!config.empty()) write_json(directory / "generation_config.json", config);
}

}  // namespace

ordered_json tokenizer_json_of(const BpeDefinition& definition, bool add_bos) {
  ordered_json post_processor;
  if (add_bos && definition.bos) {
    post_processor = begin_template(definition.tokens[static_cast<std::size_t>(*definition.bos)], *definition.bos);
  }
  return {{"version", "1.0"},
          {"truncation", nullptr},
          {"padding", nullptr},
          {"added_tokens", added_tokens_json(definition)},
          {"normalizer", definition.nfc ? ordered_json{{"type", "NFC"}} : ordered_json()},
          {"pre_tokenizer", pretokenizer_json(definition.patterns)},
          {"post_processor", std::move(post_processor)},
          {"decoder", byte_level(true)},
          {"model", model_json(definition)}};
}

void write_tokenizer(const std::string& directory, const std::string& model_path) {
  std::error_code unreadable;  // opening it then reports the reason
  if (fs::is_directory(model_path, unreadable))
    copy_tokenizer(directory, model_path);
  else
    write_gguf_tokenizer(directory, GgufFile::open(model_path));
  write_generation_config(directory, model_path);
}

}  // namespace carryover
