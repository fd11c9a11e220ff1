// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/text_encoding.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/utf8.h"

namespace carryover {
namespace {

struct WideEncoding {
  const char* name;
  std::string_view mark;
  std::size_t bytes;  ///< bytes of a unit
  bool big_endian;
};

using namespace std::string_view_literals;

/// UTF-32 comes first, because its little-endian mark begins with that of UTF-16.
constexpr std::array<WideEncoding, 4> kWideEncodings{{{"UTF-32", "\xFF\xFE\x00\x00"sv, 4, false},
                                                      {"UTF-32", "\x00\x00\xFE\xFF"sv, 4, true},
                                                      {"UTF-16", "\xFF\xFE"sv, 2, false},
                                                      {"UTF-16", "\xFE\xFF"sv, 2, true}}};

/// Reads the characters of a text in a wide encoding, from its first byte on.
class WideReader {
 public:
  WideReader(std::string_view bytes, const WideEncoding& encoding) : bytes_(bytes), encoding_(encoding) {}

  bool at_end() const { return at_ == bytes_.size(); }
  std::size_t offset() const { return at_; }

  /// Returns the next character. Returns nothing, and does not advance, if there is no whole character.
  std::optional<char32_t> next() {
    const std::size_t begin = at_;
    std::optional<char32_t> code = unit();
    if (code && encoding_.bytes == 2 && *code >= 0xD800 && *code < 0xDC00) {
      const std::optional<char32_t> low = unit();
      const bool paired = low && *low >= 0xDC00 && *low < 0xE000;
      code = paired ? std::optional(0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00)) : std::nullopt;
    }
    const bool exists = code && *code <= 0x10FFFF && !(*code >= 0xD800 && *code < 0xE000);
    if (!exists) at_ = begin;
    return exists ? code : std::nullopt;
  }

 private:
  std::optional<char32_t> unit() {
    if (bytes_.size() - at_ < encoding_.bytes) return std::nullopt;
    char32_t value = 0;
    for (std::size_t i = 0; i < encoding_.bytes; ++i) {
      const std::size_t place = encoding_.big_endian ? i : encoding_.bytes - 1 - i;
      value = value << 8 | static_cast<unsigned char>(bytes_[at_ + place]);
    }
    at_ += encoding_.bytes;
    return value;
  }

  std::string_view bytes_;
  const WideEncoding& encoding_;
  std::size_t at_ = 0;
};

std::string decoded(std::string_view bytes, const WideEncoding& encoding, const std::string& where) {
  WideReader reader(bytes.substr(encoding.mark.size()), encoding);
  std::string text;
  while (!reader.at_end()) {
    const auto code = reader.next();
    if (!code) {
      throw EngineError(
          Fault::BadInput, where,
          std::string("is not valid ") + encoding.name + " at byte " +
              std::to_string(encoding.mark.size() + reader.offset()),
          std::string("Restore the complete file, or convert it (iconv -c -f ") + encoding.name + " -t UTF-8).");
    }
    append_utf8(text, *code);
  }
  return text;
}

bool is_control(char32_t code) {
  return (code < 0x20 && !(code >= '\t' && code <= '\r') && code != 0x1B) || (code >= 0x7F && code < 0xA0);
}

/// Returns true for characters that no text has: controls and noncharacters.
bool is_foreign(char32_t code) {
  return is_control(code) || (code & 0xFFFF) >= 0xFFFE || (code >= 0xFDD0 && code < 0xFDF0);
}

bool is_private(char32_t code) {
  return (code >= 0xE000 && code < 0xF900) || code >= 0xE0000;
}

/// Returns true for ASCII, and for blanks and stops of East Asia.
bool is_basic(char32_t code) {
  return code < 0x80 || (code >= 0x3000 && code <= 0x3002) || (code >= 0xFF01 && code <= 0xFF1F);
}

struct Likeness {
  std::ptrdiff_t points = 0;  ///< basic characters count for a text; private ones, and each block, against it
  std::ptrdiff_t blocks = 0;  ///< number of blocks of 256 characters that the text uses
  std::ptrdiff_t characters = 0;
};

/// Returns how much the bytes look like text in that encoding, or nothing if they are not valid in it.
std::optional<Likeness> likeness(std::string_view bytes, const WideEncoding& encoding) {
  WideReader reader(bytes, encoding);
  Likeness found;
  std::vector<bool> blocks(0x1100);
  while (!reader.at_end()) {
    const auto code = reader.next();
    if (!code || is_foreign(*code)) return std::nullopt;
    found.points += is_basic(*code) ? 1 : is_private(*code) ? -1 : 0;
    if (!blocks[*code >> 8]) ++found.blocks;
    blocks[*code >> 8] = true;
    ++found.characters;
  }
  found.points -= found.blocks;
  return found;
}

std::ptrdiff_t control_bytes(std::string_view bytes) {
  return std::ranges::count_if(bytes, [](char byte) {
    const auto code = static_cast<unsigned char>(byte);
    return code < 0x7F && is_control(code);
  });
}

/// Finds the wide encoding of bytes without a mark, or null. UTF-8 of real texts has almost no controls. In UTF-16,
/// most characters of an alphabet have one among their two bytes, and the bytes of other scripts are seldom valid
/// UTF-8. Bytes that are valid UTF-8 count as wide only if they use few blocks.
const WideEncoding* find_unmarked(std::string_view bytes) {
  const std::ptrdiff_t controls = control_bytes(bytes);
  const bool valid = first_invalid_utf8(bytes) == bytes.size();
  if (controls == 0 || (valid && controls < std::ssize(bytes) / 8)) return nullptr;
  const WideEncoding* best = nullptr;
  Likeness most;
  for (const WideEncoding& encoding : kWideEncodings) {
    const auto found = likeness(bytes, encoding);
    if (!found || (valid && found->blocks > 2 && 4 * found->blocks > found->characters)) continue;
    if (best != nullptr && found->points <= most.points) continue;
    best = &encoding;
    most = *found;
  }
  return best;
}

}  // namespace

std::string text_of_bytes(std::string bytes, const std::string& where) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  for (const WideEncoding& encoding : kWideEncodings)
    if (bytes.starts_with(encoding.mark)) return decoded(bytes, encoding, where);
  if (const WideEncoding* encoding = find_unmarked(bytes)) {
    WideEncoding unmarked = *encoding;
    unmarked.mark = {};
    return decoded(bytes, unmarked, where);
  }
  if (bytes.starts_with(kMark)) bytes.erase(0, kMark.size());
  require_utf8(bytes, where);
  if (4 * control_bytes(bytes) > std::ssize(bytes)) {
    throw EngineError(Fault::BadInput, where, "is full of control characters: it is no text, or damaged UTF-16",
                      "Convert it to UTF-8 (iconv -c -f UTF-16 -t UTF-8, for example).");
  }
  return bytes;
}

}  // namespace carryover
