// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "engine/tokenizers/bpe_pretokenizer.h"
#include "engine/tokenizers/bpe_tokenizer.h"
#include "engine/tokenizers/sentencepiece_proto.h"
#include "tests/support/make_gguf.h"
#include "tests/support/temp_dir.h"

namespace carryover::test {

/// A small SentencePiece vocabulary of LLaMA's kind: specials, bytes, and pieces that merge in every way that matters,
/// one of them across a space.
struct SmallPieces {
  std::vector<std::string> text;
  std::vector<float> score;
  std::vector<std::int32_t> kind;

  SmallPieces() {
    add("<unk>", 0, 2);
    add("<s>", 0, 3);
    add("</s>", 0, 3);
    const char* const digits = "0123456789ABCDEF";
    for (int byte = 0; byte < 256; ++byte) add(std::string("<0x") + digits[byte / 16] + digits[byte % 16] + ">", 0, 6);
    const std::vector<std::string> merged{"▁t",   "he",   "▁the", "in",  "▁a",   "▁▁",   "▁▁▁▁", "on",
                                          "ti",   "tion", "ca",   "caf", "café", "日本", "▁h",   "ar",
                                          "▁har", "s▁t",  "▁s",   "or",  "▁st",  "12",   "aa",   "aaa"};
    float next = 0;
    for (const std::string& piece : merged) add(piece, next -= 1, 1);
    for (char c = 'a'; c <= 'z'; ++c) add(std::string(1, c), next -= 1, 1);
    for (const char* piece : {"▁", "C", "1", "2", ".", "é", "日", "本", "Ж", "у"}) add(piece, next -= 1, 1);
  }
  void add(std::string piece, float piece_score, std::int32_t piece_kind) {
    text.push_back(std::move(piece));
    score.push_back(piece_score);
    kind.push_back(piece_kind);
  }
};

inline std::string make_sentencepiece(const SmallPieces& pieces, bool dummy_prefix = true) {
  SentencePieceWriter writer;
  for (std::size_t i = 0; i < pieces.text.size(); ++i) {
    writer.add_piece(pieces.text[i], pieces.score[i], static_cast<PieceKind>(pieces.kind[i]));
  }
  return writer.finish(dummy_prefix, "<s>", "</s>");
}

inline std::string make_sentencepiece_gguf(const SmallPieces& pieces, const std::string& architecture = "llama",
                                           std::uint32_t end = 2) {
  GgufWriter writer;
  writer.add_string("general.architecture", architecture);
  writer.add_string("tokenizer.ggml.model", "llama");
  writer.add_strings("tokenizer.ggml.tokens", pieces.text);
  writer.add_floats("tokenizer.ggml.scores", pieces.score);
  if (!pieces.kind.empty()) writer.add_ints("tokenizer.ggml.token_type", pieces.kind);
  writer.add_int("tokenizer.ggml.bos_token_id", 1);
  writer.add_int("tokenizer.ggml.eos_token_id", end);
  writer.add_int("tokenizer.ggml.unknown_token_id", 0);
  return writer.bytes();
}

inline std::filesystem::path demo_folder() {
  return std::filesystem::path(CARRYOVER_SOURCE_DIR) / "resources" / "demo";
}

inline nlohmann::json demo_tokenizer() {
  return nlohmann::json::parse(read_bytes(demo_folder() / "tokenizer.json"));
}

/// The demo's tokenizer.json with LLaMA 3's pattern before its own steps.
inline nlohmann::json demo_tokenizer_with_split() {
  nlohmann::json demo = demo_tokenizer();
  const nlohmann::json split = {{"type", "Split"},
                                {"pattern", {{"Regex", pretokenizer_patterns::kLlama3}}},
                                {"behavior", "Isolated"},
                                {"invert", false}};
  nlohmann::json& steps = demo["pre_tokenizer"]["pretokenizers"];
  steps.insert(steps.begin(), split);
  return demo;
}

/// The number of tokens in the demo's vocabulary.
inline std::int32_t demo_vocabulary() {
  const nlohmann::json demo = demo_tokenizer();
  return static_cast<std::int32_t>(demo["model"]["vocab"].size() + demo["added_tokens"].size());
}

/// The demo's vocabulary as a GGUF spells it; with `pre` empty, without that key. `more`: tokens behind the demo's,
/// with their types.
inline std::string make_bpe_gguf(const std::string& pre,
                                 const std::vector<std::pair<std::string, std::int32_t>>& more = {}) {
  const nlohmann::json demo = demo_tokenizer();
  const nlohmann::json& vocabulary = demo["model"]["vocab"];
  std::vector<std::string> tokens(vocabulary.size() + demo["added_tokens"].size());
  std::vector<std::int32_t> kinds(tokens.size(), 1);
  for (const auto& [token, id] : vocabulary.items()) tokens[id.get<std::size_t>()] = token;
  for (const nlohmann::json& added : demo["added_tokens"]) {
    tokens[added["id"].get<std::size_t>()] = added["content"].get<std::string>();
    kinds[added["id"].get<std::size_t>()] = 3;
  }
  const std::size_t of_demo = tokens.size();
  for (const auto& [token, kind] : more) {
    tokens.push_back(token);
    kinds.push_back(kind);
  }
  GgufWriter writer;
  writer.add_string("general.architecture", "llama");
  writer.add_string("tokenizer.ggml.model", "gpt2");
  if (!pre.empty()) writer.add_string("tokenizer.ggml.pre", pre);
  writer.add_strings("tokenizer.ggml.tokens", tokens);
  writer.add_ints("tokenizer.ggml.token_type", kinds);
  writer.add_strings("tokenizer.ggml.merges", demo["model"]["merges"].get<std::vector<std::string>>());
  writer.add_int("tokenizer.ggml.bos_token_id", static_cast<std::uint32_t>(of_demo - 2));
  writer.add_int("tokenizer.ggml.eos_token_id", static_cast<std::uint32_t>(of_demo - 1));
  return writer.bytes();
}

}  // namespace carryover::test
