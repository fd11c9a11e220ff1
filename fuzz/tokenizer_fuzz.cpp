// SPDX-License-Identifier: GPL-3.0-or-later
// Tokenizers of every kind, from a vocabulary, the files beside it and a text that all may be anybody's: what is
// encoded comes back, but for the blanks that files may drop.
#include <algorithm>
#include <cstring>

#include "engine/base/utf8.h"
#include "engine/formats/json_file.h"
#include "engine/tokenizers/character_class.h"
#include "engine/tokenizers/gguf_tokenizer.h"
#include "engine/tokenizers/hf_tokenizer.h"
#include "engine/tokenizers/piece_model.h"
#include "engine/tokenizers/token_checks.h"
#include "engine/tokenizers/tokenizer.h"
#include "fuzz/support/json_mutator.h"
#include "fuzz/support/sections.h"
#include "fuzz/support/tokenizer_files.h"

using namespace carryover;
using namespace carryover::fuzz;

namespace {

using Loaded = std::shared_ptr<const Tokenizer>;
constexpr TokenizerFile kJsonFiles[] = {kTokenizerJson, kTokenizerConfig, kSpecialTokensMap, kAddedTokens,
                                        kModelConfig};

nlohmann::json json_of(const Sections& files, TokenizerFile file, const char* name) {
  return files[file] ? parse_json(*files[file], name, JsonKind::Tokenizer) : nlohmann::json();
}

Loaded load(const Sections& files) {
  if (!files[kTokenizerJson] && !files[kSentencePiece]) {
    const std::string gguf = files[kGguf].value_or(std::string());
    return load_gguf_tokenizer(GgufFile::parse(std::as_bytes(std::span(gguf)), "input.gguf"));
  }
  HfTokenizerFiles folder;
  folder.folder = "folder";
  folder.config = json_of(files, kModelConfig, "config.json");
  folder.tokenizer_config = json_of(files, kTokenizerConfig, "tokenizer_config.json");
  folder.special_tokens_map = json_of(files, kSpecialTokensMap, "special_tokens_map.json");
  folder.added_tokens = json_of(files, kAddedTokens, "added_tokens.json");
  folder.tokenizer = json_of(files, kTokenizerJson, "tokenizer.json");
  folder.sentencepiece = files[kSentencePiece];
  return make_hf_tokenizer(folder);
}

/// The text without what a vocabulary's files may drop: blanks beside added tokens, and one in front; U+2581 is a blank
/// to SentencePiece's.
std::string without_blanks(std::string_view text) {
  std::string left;
  while (!text.empty()) {
    const std::string_view character = text.substr(0, first_utf8_unit(text).length);
    if (!is_blank(utf8_code(character)) && character != kSpaceMark) left += character;
    text.remove_prefix(character.size());
  }
  return left;
}

void check_encoding(const Loaded& tokenizer, const std::string& text, bool parse_special) {
  std::vector<std::int32_t> ids;
  if (!accepts([&] { ids = tokenizer->encode(text, parse_special); })) return;
  for (const std::int32_t id : ids) require(id >= 0 && id < tokenizer->vocabulary(), "an id is in the vocabulary");
  const std::string decoded = tokenizer->decode(ids);
  require(without_blanks(decoded) == without_blanks(text), "what is encoded comes back, but for blanks");
  StreamDecoder stream(tokenizer);
  std::string streamed;
  for (const std::int32_t id : ids) streamed += stream.push(id);
  require(streamed + stream.finish() == decoded, "what is decoded comes id by id, too");
  const std::vector<std::size_t> ends = token_ends(ids, text, *tokenizer);
  require(std::is_sorted(ends.begin(), ends.end()), "tokens end one behind the other");
  require(ids.empty() || ends.back() == text.size(), "the last token ends where the text does");
}

/// Decodes any ids, as a model's head may give them.
void decode_any(const Loaded& tokenizer, const std::string& bytes) {
  std::vector<std::int32_t> ids(bytes.size() / sizeof(std::int32_t));
  if (!ids.empty()) std::memcpy(ids.data(), bytes.data(), ids.size() * sizeof(std::int32_t));
  for (const char byte : bytes) ids.push_back(static_cast<unsigned char>(byte));
  tokenizer->decode(ids);
  StreamDecoder stream(tokenizer);
  for (const std::int32_t id : ids) stream.push(id);
  stream.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Sections files = split_sections(view(data, size), kTokenizerFiles);
  Loaded tokenizer;
  if (!accepts([&] { tokenizer = load(files); })) return 0;
  const std::string text = files[kText].value_or(std::string());
  for (const bool parse_special : {false, true}) check_encoding(tokenizer, text, parse_special);
  decode_any(tokenizer, text);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  Random random(seed);
  Sections files = split_sections(view(data, size), kTokenizerFiles);
  if (!files[kText] || below(random, 2) == 0)
    files[kText] = mutate_bytes(files[kText].value_or(std::string()), 512);
  else if (auto& json = files[kJsonFiles[below(random, std::size(kJsonFiles))]]; json)
    json = mutate_json_text(*json, random, most);
  else if (files[kSentencePiece])
    files[kSentencePiece] = mutate_bytes(*files[kSentencePiece], most);
  else
    files[kGguf] = mutate_bytes(files[kGguf].value_or(std::string()), most);
  const std::string made = join_sections(files);
  return made.size() <= most ? deliver(made, data, most) : size;
}
