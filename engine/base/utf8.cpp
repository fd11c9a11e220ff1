// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/utf8.h"

#include "engine/base/error.h"

namespace carryover {

namespace {

/// The number of bytes that a lead byte announces (0: no character begins so), and the range of the second byte.
struct Lead {
  std::size_t length;
  unsigned char second_low = 0x80, second_high = 0xBF;
};

Lead read_lead(unsigned char byte) {
  if (byte < 0x80) return {1};
  if (byte < 0xC2) return {0};  // a continuation, or an overlong two-byte form
  if (byte < 0xE0) return {2};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};  // no surrogates
  if (byte < 0xF0) return {3};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte < 0xF4) return {4};
  if (byte == 0xF4) return {4, 0x80, 0x8F};  // up to U+10FFFF
  return {0};
}

}  // namespace

Utf8Unit first_utf8_unit(std::string_view bytes) {
  if (bytes.empty()) return {Utf8Unit::Kind::Unfinished, 0};
  const Lead lead = read_lead(static_cast<unsigned char>(bytes[0]));
  if (lead.length == 0) return {Utf8Unit::Kind::Invalid, 1};
  for (std::size_t i = 1; i < lead.length; ++i) {
    if (i == bytes.size()) return {Utf8Unit::Kind::Unfinished, i};
    const auto byte = static_cast<unsigned char>(bytes[i]);
    const bool fits = i == 1 ? byte >= lead.second_low && byte <= lead.second_high : byte >= 0x80 && byte <= 0xBF;
    if (!fits) return {Utf8Unit::Kind::Invalid, i};
  }
  return {Utf8Unit::Kind::Character, lead.length};
}

char32_t utf8_code(std::string_view character) {
  const Utf8Unit unit = first_utf8_unit(character);
  if (unit.kind != Utf8Unit::Kind::Character) return U'\uFFFD';
  const auto lead = static_cast<unsigned char>(character[0]);
  char32_t code = unit.length == 1 ? lead : lead & (0xFFU >> (unit.length + 1));
  for (std::size_t i = 1; i < unit.length; ++i) code = code << 6 | (static_cast<unsigned char>(character[i]) & 0x3FU);
  return code;
}

void append_utf8(std::string& text, char32_t code) {
  if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) code = U'\uFFFD';
  const auto add = [&](char32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xC0 | (code >> 6));
  } else {
    add(code < 0x10000 ? 0xE0 | (code >> 12) : 0xF0 | (code >> 18));
    if (code >= 0x10000) add(0x80 | ((code >> 12) & 0x3F));
    add(0x80 | ((code >> 6) & 0x3F));
  }
  add(0x80 | (code & 0x3F));
}

std::size_t first_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const Utf8Unit unit = first_utf8_unit(text.substr(at));
    if (unit.kind != Utf8Unit::Kind::Character) return at;
    at += unit.length;
  }
  return at;
}

void require_utf8(std::string_view text, const std::string& where) {
  const std::size_t bad = first_invalid_utf8(text);
  if (bad == text.size()) return;
  throw EngineError(Fault::BadInput, where, "is not valid UTF-8 at byte " + std::to_string(bad),
                    "Convert it to UTF-8 from its encoding (iconv -f LATIN1 -t UTF-8, or -f UTF-16LE, for example).");
}

std::string take_utf8(std::string& pending, bool last) {
  std::string out;
  std::string_view rest = pending;
  while (!rest.empty()) {
    const Utf8Unit unit = first_utf8_unit(rest);
    if (unit.kind == Utf8Unit::Kind::Unfinished && !last) break;
    out += unit.kind == Utf8Unit::Kind::Character ? rest.substr(0, unit.length) : std::string_view("\xEF\xBF\xBD");
    rest.remove_prefix(unit.length);
  }
  pending = std::string(rest);
  return out;
}

}  // namespace carryover
