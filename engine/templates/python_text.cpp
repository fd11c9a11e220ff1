// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/templates/python_text.h"

#include <algorithm>
#include <bitset>
#include <charconv>
#include <cmath>
#include <cstring>
#include <set>

#include "engine/base/python_space.h"
#include "engine/base/utf8.h"

namespace carryover::jinja {

namespace {

std::string reversed(std::string_view text) {
  return {text.rbegin(), text.rend()};
}

std::string_view last_character(std::string_view text) {
  std::size_t at = text.size() - 1;
  while (at > 0 && text.size() - at < 4 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return at + character_length(text.substr(at)) == text.size() ? text.substr(at) : text.substr(text.size() - 1);
}

/// A set of the characters of a text. A template may make and look up thousands of such texts.
class CharacterSet {
 public:
  explicit CharacterSet(std::string_view text) {
    for (const std::string_view character : Characters(text))
      if (character.size() == 1)
        bytes_.set(static_cast<unsigned char>(character.front()));
      else
        longer_.insert(character);
  }

  bool contains(std::string_view character) const {
    return character.size() == 1 ? bytes_.test(static_cast<unsigned char>(character.front()))
                                 : longer_.contains(character);
  }

 private:
  std::bitset<256> bytes_;
  std::set<std::string_view> longer_;
};

template <typename Cut>
std::string_view strip_while(std::string_view text, bool front, bool back, const Cut& cut) {
  while (front && !text.empty()) {
    const std::string_view first = text.substr(0, character_length(text));
    if (!cut(first)) break;
    text.remove_prefix(first.size());
  }
  while (back && !text.empty()) {
    const std::string_view last = last_character(text);
    if (!cut(last)) break;
    text.remove_suffix(last.size());
  }
  return text;
}

/// Returns true for the characters at which str.splitlines() ends lines, besides \r\n.
bool ends_line(std::uint32_t code) {
  return (code >= 0x0A && code <= 0x0D) || (code >= 0x1C && code <= 0x1E) || code == 0x85 || code == 0x2028 ||
         code == 0x2029;
}

/// Returns false for the characters that repr() spells by number: controls, separators, formats, private ones.
bool is_printable(std::uint32_t code) {
  static constexpr std::pair<std::uint32_t, std::uint32_t> kHidden[] = {
      {0, 0x1F},        {0x7F, 0xA0},     {0xAD, 0xAD},       {0x600, 0x605},     {0x61C, 0x61C},   {0x1680, 0x1680},
      {0x180E, 0x180E}, {0x2000, 0x200F}, {0x2028, 0x202F},   {0x205F, 0x206F},   {0x3000, 0x3000}, {0xD800, 0xF8FF},
      {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0001, 0xE007F}, {0xF0000, 0x10FFFF}};
  return std::none_of(std::begin(kHidden), std::end(kHidden),
                      [&](const auto& range) { return code >= range.first && code <= range.second; });
}

void append_number(std::string& text, std::uint32_t code) {
  static constexpr char kDigits[] = "0123456789abcdef";
  const int digits = code < 0x100 ? 2 : (code < 0x10000 ? 4 : 8);
  text += digits == 2 ? "\\x" : (digits == 4 ? "\\u" : "\\U");
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) text += kDigits[(code >> shift) & 15];
}

}  // namespace

std::size_t character_length(std::string_view text) {
  return std::max<std::size_t>(first_utf8_unit(text).length, 1);
}

std::int64_t character_count(std::string_view text) {
  std::int64_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) at += character_length(text.substr(at));
  return count;
}

std::string_view strip(std::string_view text, bool front, bool back) {
  return strip_while(text, front, back,
                     [](std::string_view character) { return is_python_space(utf8_code(character)); });
}

std::string_view strip(std::string_view text, std::string_view cut, bool front, bool back) {
  const CharacterSet parts(cut);
  return strip_while(text, front, back, [&](std::string_view character) { return parts.contains(character); });
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator, std::int64_t most) {
  std::vector<std::string_view> parts;
  std::size_t at = 0;
  while (most < 0 || std::ssize(parts) < most) {
    const std::size_t end = find_text(text, separator, at);
    if (end == std::string_view::npos) break;
    parts.push_back(text.substr(at, end - at));
    at = end + separator.size();
  }
  parts.push_back(text.substr(at));
  return parts;
}

std::vector<std::string_view> split_blanks(std::string_view text, std::int64_t most) {
  std::vector<std::string_view> parts;
  for (text = strip(text, true, false); !text.empty(); text = strip(text, true, false)) {
    if (most >= 0 && std::ssize(parts) == most) {
      parts.push_back(text);
      break;
    }
    std::size_t end = 0;
    while (end < text.size() && !is_python_space(utf8_code(text.substr(end))))
      end += character_length(text.substr(end));
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return parts;
}

std::vector<std::string_view> split_back(std::string_view text, std::string_view separator, std::int64_t most) {
  const std::string backward = reversed(text);
  std::vector<std::string_view> parts = split(backward, reversed(separator), most);
  for (std::string_view& part : parts) {
    const auto at = static_cast<std::size_t>(part.data() - backward.data());
    part = text.substr(text.size() - at - part.size(), part.size());
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = character_length(text.substr(at));
    if (!ends_line(utf8_code(text.substr(at)))) {
      at += size;
      continue;
    }
    lines.push_back(text.substr(begin, at - begin));
    at += text.substr(at, 2) == "\r\n" ? 2 : size;
    begin = at;
  }
  if (begin < text.size()) lines.push_back(text.substr(begin));
  return lines;
}

std::size_t find_text(std::string_view text, std::string_view part, std::size_t from) {
  if (from > text.size()) return std::string_view::npos;
  if (part.empty()) return from;
  const void* found = ::memmem(text.data() + from, text.size() - from, part.data(), part.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

std::size_t find_last(std::string_view text, std::string_view part) {
  const std::size_t at = find_text(reversed(text), reversed(part));
  return at == std::string_view::npos ? at : text.size() - at - part.size();
}

std::string real_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char buffer[40];
  const double size = std::abs(value);
  const bool plain = value == 0 || (size >= 1e-4 && size < 1e16);
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, value, format).ptr);
  if (plain && text.find('.') == std::string::npos) text += ".0";
  return text;
}

std::string quoted_text(std::string_view text) {
  const bool single = text.find('\'') == std::string_view::npos || text.find('"') != std::string_view::npos;
  const char quote = single ? '\'' : '"';
  std::string made(1, quote);
  for (const std::string_view character : Characters(text)) {
    const std::uint32_t code = utf8_code(character);
    if (character[0] == quote || character[0] == '\\') {
      made += '\\';
      made += character;
    } else if (code == '\n' || code == '\r' || code == '\t') {
      made += code == '\n' ? "\\n" : (code == '\r' ? "\\r" : "\\t");
    } else if (is_printable(code)) {
      made += character;
    } else {
      append_number(made, code);
    }
  }
  return made += quote;
}

std::string html_escaped(std::string_view text) {
  std::string made;
  for (const char c : text) {
    switch (c) {
      case '&':
        made += "&amp;";
        break;
      case '<':
        made += "&lt;";
        break;
      case '>':
        made += "&gt;";
        break;
      case '"':
        made += "&#34;";
        break;
      case '\'':
        made += "&#39;";
        break;
      default:
        made += c;
    }
  }
  return made;
}

}  // namespace carryover::jinja
