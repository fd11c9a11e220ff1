// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/token_text.h"

#include <algorithm>
#include <cstdio>

#include "engine/base/utf8.h"

namespace carryover {

std::string spelled_token(const Tokenizer& tokenizer, std::int32_t id, FirstBlank blank) {
  return blank == FirstBlank::Drop ? tokenizer.decode({&id, 1}) : tokenizer.bytes(id);
}

std::string shown_token(std::string_view bytes, std::string_view mark) {
  if (first_invalid_utf8(bytes) == bytes.size()) return std::string(bytes);
  std::string text(mark);
  for (const char byte : bytes) {
    char digits[8];
    std::snprintf(digits, sizeof digits, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    text += digits;
  }
  return text;
}

std::int64_t count_characters(std::string_view text) {
  return std::ranges::count_if(text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; });
}

}  // namespace carryover
