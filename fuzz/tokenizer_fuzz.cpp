// SPDX-License-Identifier: GPL-3.0-or-later
// Tokenizers of every kind, from a vocabulary and a text that both may be anybody's: what is encoded comes back.
#include <cstring>

#include "engine/formats/json_file.h"
#include "engine/tokenizers/bpe_tokenizer.h"
#include "engine/tokenizers/gguf_tokenizer.h"
#include "engine/tokenizers/sentencepiece_tokenizer.h"
#include "engine/tokenizers/tokenizer.h"
#include "engine/tokenizers/tokenizer_json.h"
#include "fuzz/support/json_mutator.h"
#include "fuzz/support/sections.h"
#include "fuzz/support/tokenizer_files.h"

using namespace carryover;
using namespace carryover::fuzz;

namespace {

using Loaded = std::shared_ptr<const Tokenizer>;

Loaded load(const Sections& files) {
  if (files[kTokenizerJson])
    return std::make_shared<BpeTokenizer>(read_tokenizer_json(
        parse_json(*files[kTokenizerJson], "tokenizer.json", JsonKind::Tokenizer), "tokenizer.json"));
  if (files[kSentencePiece]) return SentencePieceTokenizer::load(*files[kSentencePiece], "tokenizer.model");
  const std::string gguf = files[kGguf].value_or(std::string());
  return load_gguf_tokenizer(GgufFile::parse(std::as_bytes(std::span(gguf)), "input.gguf"));
}

void check_encoding(const Loaded& tokenizer, const std::string& text, bool parse_special) {
  std::vector<std::int32_t> ids;
  if (!accepts([&] { ids = tokenizer->encode(text, parse_special); })) return;
  for (const std::int32_t id : ids) require(id >= 0 && id < tokenizer->vocabulary(), "an id is in the vocabulary");
  require(tokenizer->decode(ids) == text, "what is encoded comes back");
  StreamDecoder stream(tokenizer);
  std::string streamed;
  for (const std::int32_t id : ids) streamed += stream.push(id);
  require(streamed + stream.finish() == text, "what is encoded comes back id by id");
}

/// As a model's head gives them: any at all.
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
  else if (files[kTokenizerJson])
    files[kTokenizerJson] = mutate_json_text(*files[kTokenizerJson], random, most);
  else if (files[kSentencePiece])
    files[kSentencePiece] = mutate_bytes(*files[kSentencePiece], most);
  else
    files[kGguf] = mutate_bytes(files[kGguf].value_or(std::string()), most);
  const std::string made = join_sections(files);
  return made.size() <= most ? deliver(made, data, most) : size;
}
