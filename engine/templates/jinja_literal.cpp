// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/templates/jinja_literal.h"

#include <charconv>

#include "engine/base/utf8.h"
#include "engine/templates/python_text.h"

namespace carryover::jinja {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const char letter = static_cast<char>(c | 0x20);
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : 99;
}

/// Reads a number of at most `most` digits at `at`, and moves `at` behind them.
std::uint32_t read_digits(std::string_view body, std::size_t& at, std::size_t most, int base) {
  std::uint32_t code = 0;
  for (std::size_t count = 0; count < most && at < body.size() && hex_digit(body[at]) < base; ++count, ++at) {
    code = code * static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(hex_digit(body[at]));
  }
  return code;
}

/// Appends the character for the escape after a backslash, which is at `at`, and moves `at` behind it.
void append_escape(Run& run, std::string& made, std::string_view body, std::size_t& at) {
  static constexpr std::string_view kNames = "abfnrtv\\'\"", kMeanings = "\a\b\f\n\r\t\v\\'\"";
  const char c = body[at];
  if (const std::size_t name = kNames.find(c); name != std::string_view::npos) {
    made += kMeanings[name];
    ++at;
  } else if (c == '\n') {
    ++at;
  } else if (c >= '0' && c <= '7') {
    append_utf8(made, read_digits(body, at, 3, 8));
  } else if (c == 'x' || c == 'u' || c == 'U') {
    const std::size_t digits = c == 'x' ? 2 : (c == 'u' ? 4 : 8), begin = ++at;
    const std::uint32_t code = read_digits(body, at, digits, 16);
    if (at - begin != digits || code > 0x10FFFF) run.refuse("an invalid escape in a string");
    append_utf8(made, code);
  } else if (c == 'N') {
    run.lack("an escape \\N{…} in a string");
  } else {
    made += '\\';  // Python keeps unknown escapes
  }
}

/// Returns the end of a run of digits, which may have single underscores between them.
std::size_t digits_end(std::string_view source, std::size_t at) {
  while (at < source.size() &&
         (is_digit(source[at]) || (source[at] == '_' && at + 1 < source.size() && is_digit(source[at + 1])))) {
    ++at;
  }
  return at;
}

std::size_t exponent_end(std::string_view source, std::size_t at) {
  if (at >= source.size() || (source[at] | 0x20) != 'e') return at;
  std::size_t digits = at + 1;
  if (digits < source.size() && (source[digits] == '+' || source[digits] == '-')) ++digits;
  return digits < source.size() && is_digit(source[digits]) ? digits_end(source, digits) : at;
}

template <typename Number>
bool parse(std::string_view digits, Number& number) {
  return std::from_chars(digits.data(), digits.data() + digits.size(), number).ec == std::errc();
}

}  // namespace

Literal read_string(Run& run, std::string_view source) {
  std::string made;
  std::size_t at = 1;
  while (at < source.size() && source[at] != source[0]) {
    if (source[at] != '\\') {
      made += source[at++];
    } else if (++at < source.size()) {
      append_escape(run, made, source, at);
    }
  }
  if (at >= source.size()) run.refuse("a string has no end");
  return {make_text(run, std::move(made)), at + 1};
}

Literal read_number(Run& run, std::string_view source, bool behind_dot) {
  const std::size_t whole = digits_end(source, 0);
  if (whole == 1 && source[0] == '0' && source.size() > 1 &&
      std::string_view("xXoObB").find(source[1]) != std::string_view::npos) {
    run.lack("a number that is not decimal");
  }
  std::size_t end = whole;
  if (!behind_dot) {
    if (whole + 1 < source.size() && source[whole] == '.' && is_digit(source[whole + 1])) {
      end = digits_end(source, whole + 1);
    }
    end = exponent_end(source, end);
  }
  std::string digits(source.substr(0, end));
  std::erase(digits, '_');
  std::int64_t integer = 0;
  double real = 0;
  if (end != whole && parse(digits, real)) return {{real}, end};
  if (end == whole && parse(digits, integer)) return {{integer}, end};
  run.lack("a number beyond 64 bits");
}

std::size_t name_length(std::string_view source) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
  };
  std::size_t size = 0;
  while (size < source.size() && (is_letter(source[size]) || (size > 0 && is_digit(source[size])))) ++size;
  return size;
}

}  // namespace carryover::jinja
