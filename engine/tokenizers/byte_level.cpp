// SPDX-License-Identifier: GPL-3.0-or-later
// Byte-level BPE spells a printable byte as the character of its code, and the others, in order, as U+0100 and
// following.
#include <array>
#include <unordered_map>

#include "engine/base/utf8.h"
#include "engine/tokenizers/bpe_tokenizer.h"

namespace carryover {

namespace {

std::string utf8_of(unsigned code) {  // below U+0800
  if (code < 0x80) return {static_cast<char>(code)};
  return {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))};
}

std::array<std::string, 256> make_spellings() {
  std::array<std::string, 256> spellings;
  unsigned unprintable = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const bool prints = (byte > 0x20 && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD);
    spellings[byte] = utf8_of(prints ? byte : unprintable++);
  }
  return spellings;
}

const std::array<std::string, 256>& spellings() {
  static const std::array<std::string, 256> made = make_spellings();
  return made;
}

const std::unordered_map<std::string_view, char>& bytes_by_spelling() {
  static const auto made = [] {
    std::unordered_map<std::string_view, char> bytes;
    for (unsigned byte = 0; byte < 256; ++byte) bytes[spellings()[byte]] = static_cast<char>(byte);
    return bytes;
  }();
  return made;
}

}  // namespace

std::optional<std::string> bytes_of_byte_level(std::string_view token) {
  std::string bytes;
  while (!token.empty()) {
    const std::size_t length = first_utf8_unit(token).length;
    const auto byte = bytes_by_spelling().find(token.substr(0, length));
    if (byte == bytes_by_spelling().end()) return std::nullopt;
    bytes += byte->second;
    token.remove_prefix(length);
  }
  return bytes;
}

std::string byte_level_of_bytes(std::string_view bytes) {
  std::string token;
  for (const char byte : bytes) token += spellings()[static_cast<unsigned char>(byte)];
  return token;
}

}  // namespace carryover
