// SPDX-License-Identifier: GPL-3.0-or-later
// Upper and lower case of UTF-8 that may hold invalid bytes: these pass as code points that no text has.
#include "engine/base/python_case.h"

#include <optional>
#include <utility>

#include "engine/base/python_space.h"
#include "engine/base/utf8.h"
#include "engine/templates/python_text.h"

namespace carryover::jinja {

namespace {

constexpr char32_t kInvalidByte = 0xDC00;  ///< plus the byte: half of a surrogate pair, as in Python's surrogateescape

std::u32string points_of(std::string_view text) {
  std::u32string points;
  for (const std::string_view character : Characters(text)) {
    if (first_utf8_unit(character).kind == Utf8Unit::Kind::Character)
      points += utf8_code(character);
    else
      for (const char byte : character) points.push_back(kInvalidByte + static_cast<unsigned char>(byte));
  }
  return points;
}

std::string bytes_of(std::u32string_view points) {
  std::string text;
  for (const char32_t point : points) {
    if (point >= kInvalidByte && point < kInvalidByte + 0x100)
      text += static_cast<char>(static_cast<unsigned char>(point - kInvalidByte));
    else
      append_utf8(text, point);
  }
  return text;
}

/// Converts ASCII text in place, letter by letter, because sorting changes the case of many long texts. Returns nothing
/// for other texts.
std::optional<std::string> moved_ascii(std::string_view text, char first, char last, int step) {
  std::string made(text);
  for (char& c : made) {
    if (static_cast<unsigned char>(c) >= 0x80) return std::nullopt;
    if (c >= first && c <= last) c = static_cast<char>(c + step);
  }
  return made;
}

}  // namespace

std::string upper(std::string_view text) {
  auto ascii = moved_ascii(text, 'a', 'z', 'A' - 'a');
  return ascii ? std::move(*ascii) : bytes_of(python_upper(points_of(text)));
}

std::string lower(std::string_view text) {
  auto ascii = moved_ascii(text, 'A', 'Z', 'a' - 'A');
  return ascii ? std::move(*ascii) : bytes_of(python_lower(points_of(text)));
}

std::string capitalize(std::string_view text) {
  return bytes_of(python_capitalize(points_of(text)));
}

std::string title(std::string_view text) {
  return bytes_of(python_title(points_of(text)));
}

std::string filter_title(std::string_view text) {
  const auto splits = [](char32_t c) {
    return is_python_space(c) || c == '-' || c == '(' || c == '{' || c == '[' || c == '<';
  };
  const std::u32string points = points_of(text);
  std::u32string made;
  for (std::size_t at = 0; at < points.size();) {
    std::size_t end = at + 1;
    while (end < points.size() && splits(points[end]) == splits(points[at])) ++end;
    const std::u32string_view word = std::u32string_view(points).substr(at, end - at);
    made += python_upper(word.substr(0, 1)) + python_lower(word.substr(1));
    at = end;
  }
  return bytes_of(made);
}

}  // namespace carryover::jinja
