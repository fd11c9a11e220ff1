// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace carryover::test {

inline std::string utf8_of(char32_t code) {
  const auto byte = [](char32_t value) { return static_cast<char>(value); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xC0 | code >> 6), byte(0x80 | (code & 0x3F))};
  const char last = byte(0x80 | (code & 0x3F)), middle = byte(0x80 | (code >> 6 & 0x3F));
  if (code < 0x10000) return {byte(0xE0 | code >> 12), middle, last};
  return {byte(0xF0 | code >> 18), byte(0x80 | (code >> 12 & 0x3F)), middle, last};
}

/// Texts that tokenizers find hard: words among spaces of every kind, controls, combining marks, U+2581
/// (SentencePiece's space), U+FFFD, byte-order marks, spellings of special tokens, and characters of all planes.
class RandomText {
 public:
  explicit RandomText(unsigned seed) : random_(seed) {}

  std::string next(std::size_t most_parts = 40) {
    std::string text;
    for (std::size_t parts = below(most_parts + 1); parts > 0; --parts) text += part();
    return text;
  }
  std::size_t below(std::size_t limit) { return random_() % limit; }

 private:
  std::string part() {
    static const std::vector<std::string> kAwkward{" ",
                                                   "  ",
                                                   "   ",
                                                   "\n",
                                                   "\r\n",
                                                   "\t",
                                                   std::string(1, '\0'),
                                                   "\x01",
                                                   "\x04",
                                                   "\x1F",
                                                   "\x7F",
                                                   "\u0085",
                                                   "\u00A0",
                                                   "\u180E",
                                                   "\u200B",
                                                   "\u200D",
                                                   "\u2028",
                                                   "\u3000",
                                                   "\u2581",
                                                   "\u2581\u2581",
                                                   "\uFEFF",
                                                   "\uFFFD",
                                                   "\u0301",
                                                   "e\u0301",
                                                   "\u017F",
                                                   "\u0120",
                                                   "'s",
                                                   "'LL",
                                                   "<s>",
                                                   "</s>",
                                                   "<0x0A>",
                                                   "<|begin|>",
                                                   "<|end|>",
                                                   "12",
                                                   "\u00BD",
                                                   "\u2167",
                                                   "\U0001F469\u200D\U0001F680"};
    static const std::vector<std::string> kWords{"the",          " harbour",     " a",     "in",
                                                 "tion",         "Captain",      " store", "caf\u00E9",
                                                 "\u65E5\u672C", "\u0416\u0443", "x",      "..."};
    switch (below(4)) {
      case 0:
        return kAwkward[below(kAwkward.size())];
      case 1:
        return utf8_of(code_point());
      default:
        return kWords[below(kWords.size())];
    }
  }

  char32_t code_point() {
    const auto code = static_cast<char32_t>(below(3) == 0 ? below(0x300) : below(0x110000));
    return code >= 0xD800 && code < 0xE000 ? U'\uFFFD' : code;
  }

  std::mt19937 random_;
};

}  // namespace carryover::test
