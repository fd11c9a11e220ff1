// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizers/named_pretokenizers.h"

#include <algorithm>

#include "engine/tokenizers/bpe_pretokenizer.h"

namespace carryover {

namespace {

using namespace pretokenizer_patterns;

// Patterns as the tokenizer.json of the named models has them. llama.cpp has no classes of cased letters, so its own
// spelling of some differs; its recorded ids are equal (tests/compat/vocabularies.py).
constexpr const char* kQwen35 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kTekken = R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
                                R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
                                R"(|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kSeedCoder =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}\r\n]+)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kDeepSeekLetters =
    R"(\s?[A-Za-z\x{b5}\x{c0}-\x{d6}\x{d8}-\x{f6}\x{f8}-\x{1ba}\x{1bc}-\x{1bf}\x{1c4}-\x{293}\x{295}-\x{2af})"
    R"(\x{370}-\x{373}\x{376}\x{377}\x{37b}-\x{37d}\x{37f}\x{386}\x{388}-\x{38a}\x{38c}\x{38e}-\x{3a1}\x{3a3}-\x{3f5})"
    R"(\x{3f7}-\x{481}\x{48a}-\x{52f}\x{531}-\x{556}\x{10a0}-\x{10c5}\x{13a0}-\x{13f5}\x{13f8}-\x{13fd})"
    R"(\x{1c90}-\x{1cba}\x{1cbd}-\x{1cbf}\x{1d00}-\x{1d2b}\x{1d6b}-\x{1d77}\x{1d79}-\x{1d9a}\x{1e00}-\x{1f15})"
    R"(\x{1f18}-\x{1f1d}\x{1f20}-\x{1f45}\x{1f48}-\x{1f4d}\x{1f50}-\x{1f57}\x{1f59}\x{1f5b}\x{1f5d}\x{1f5f}-\x{1f7d})"
    R"(\x{1f80}-\x{1fb4}\x{1fb6}-\x{1fbc}\x{1fbe}\x{1fc2}-\x{1fc4}\x{1fc6}-\x{1fcc}\x{1fd0}-\x{1fd3}\x{1fd6}-\x{1fdb})"
    R"(\x{1fe0}-\x{1fec}\x{1ff2}-\x{1ff4}\x{1ff6}-\x{1ffc}\x{2102}\x{2107}\x{210a}-\x{2113}\x{2115}\x{2119}-\x{211d})"
    R"(\x{2124}\x{2126}\x{2128}\x{212a}-\x{212d}\x{212f}-\x{2134}\x{2139}\x{213c}-\x{213f}\x{2145}-\x{2149}\x{214e})"
    R"(\x{2183}\x{2184}\x{2c00}-\x{2c7b}\x{2c7e}-\x{2ce4}\x{2ceb}-\x{2cee}\x{2cf2}\x{2cf3}\x{a640}-\x{a66d})"
    R"(\x{a680}-\x{a69b}\x{a722}-\x{a76f}\x{a771}-\x{a787}\x{a78b}-\x{a78e}\x{ab70}-\x{abbf}\x{fb00}-\x{fb06})"
    R"(\x{fb13}-\x{fb17}\x{ff21}-\x{ff3a}\x{ff41}-\x{ff5a}\x{10400}-\x{1044f}\x{104b0}-\x{104d3}\x{104d8}-\x{104fb})"
    R"(\x{10c80}-\x{10cb2}\x{10cc0}-\x{10cf2}\x{118a0}-\x{118df}\x{1e900}-\x{1e943}]+)";
constexpr const char* kDeepSeekPunctuation =
    R"(\s?[!-/:-~\x{ff01}-\x{ff0f}\x{ff1a}-\x{ff5e}\x{2018}-\x{201f}\x{3000}-\x{3002}]+)";
constexpr const char* kDeepSeekIdeographs = R"([\x{4e00}-\x{9fa5}\x{800}-\x{4e00}\x{ac00}-\x{d7ff}]+)";
constexpr const char* kLineBreak = R"([\r\n])";
constexpr const char* kThreeDigits = R"([0-9][0-9][0-9])";
constexpr const char* kGpt2Plain = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S))";

const std::vector<NamedPretokenizer>& table() {
  static const std::vector<NamedPretokenizer> rows{
      {{"smollm", "refact", "starcoder", "command-r", "minerva-7b"}, {kDigit, kGpt2}},
      {{"llama-bpe", "llama3", "llama-v3", "falcon3", "pixtral", "midm-2.0"}, {kLlama3}, true},
      {{"dbrx", "smaug-bpe"}, {kLlama3}},
      {{"gpt-4o"}, {kGpt4o}},
      {{"qwen2", "deepseek-r1-qwen", "megrez", "stablelm2"}, {kQwen2}},
      {{"qwen35"}, {kQwen35}},
      {{"gpt-2", "phi-2", "mpt", "olmo"}, {kGpt2}},
      {{"tekken"}, {kTekken}, true},
      {{"seed-coder"}, {kSeedCoder}},
      {{"deepseek-llm"}, {kLineBreak, kDeepSeekLetters, kDeepSeekPunctuation, R"(\s+$)", kDeepSeekIdeographs, kDigits}},
      {{"deepseek-coder"}, {kLineBreak, R"(\s?\p{L}+)", R"(\s?\p{P}+)", kDeepSeekIdeographs, kDigit}},
      {{"falcon"}, {R"([\p{P}\$\+<=>\^~\|`]+)", kGpt2Plain, kThreeDigits}},
      // llama.cpp's own rule, also for files that name none.
      {{"default"}, {R"([\p{P}\$\+<=>\^~\|]+)", kGpt2Plain, kDigits, kThreeDigits}},
  };
  return rows;
}

}  // namespace

const NamedPretokenizer* find_named_pretokenizer(std::string_view name) {
  const auto is_named = [name](const NamedPretokenizer& row) { return std::ranges::count(row.names, name) > 0; };
  const auto found = std::ranges::find_if(table(), is_named);
  return found == table().end() ? nullptr : &*found;
}

std::string pretokenizer_names() {
  std::string list;
  for (const NamedPretokenizer& row : table())
    for (const char* name : row.names) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

}  // namespace carryover
