// SPDX-License-Identifier: GPL-3.0-or-later
// Upper and lower case of UTF-8, by the C library's tables of Unicode.
#include <clocale>
#include <cwctype>

#include "engine/core/base/error.h"
#include "engine/core/base/python_space.h"
#include "engine/core/base/utf8.h"
#include "engine/templates/python_text.h"

namespace carryover::jinja {

namespace {

constexpr std::uint32_t kSharpS = 0xDF;

::locale_t unicode() {
  static const ::locale_t made = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", static_cast<::locale_t>(nullptr));
  if (made == static_cast<::locale_t>(nullptr)) {
    throw EngineError(Fault::Unsupported, "the locale C.UTF-8", "is missing", "Install the C library's locales.");
  }
  return made;
}

bool is_letter(std::uint32_t code) {
  return ::iswalpha_l(static_cast<wint_t>(code), unicode()) != 0;
}

void append_upper(std::string& made, std::string_view character, bool first_of_word) {
  const std::uint32_t code = utf8_code(character);
  if (code < 0x80) {
    made += static_cast<char>(code >= 'a' && code <= 'z' ? code - 32 : code);
  } else if (code == kSharpS) {
    made += first_of_word ? "Ss" : "SS";
  } else if (code == 0xFFFD) {
    made += character;
  } else {
    append_utf8(made, static_cast<char32_t>(::towupper_l(static_cast<wint_t>(code), unicode())));
  }
}

void append_lower(std::string& made, std::string_view character) {
  const std::uint32_t code = utf8_code(character);
  if (code < 0x80) {
    made += static_cast<char>(code >= 'A' && code <= 'Z' ? code + 32 : code);
  } else if (code == 0xFFFD) {
    made += character;
  } else {
    append_utf8(made, static_cast<char32_t>(::towlower_l(static_cast<wint_t>(code), unicode())));
  }
}

/// Upper case where a word starts, lower case elsewhere; `splits` says what a word starts behind.
template <typename Splits>
std::string cased(std::string_view text, const Splits& splits) {
  std::string made;
  bool starts = true;
  for (const std::string_view character : Characters(text)) {
    if (starts) {
      append_upper(made, character, true);
    } else {
      append_lower(made, character);
    }
    starts = splits(utf8_code(character));
  }
  return made;
}

}  // namespace

std::string upper(std::string_view text) {
  std::string made;
  for (const std::string_view character : Characters(text)) append_upper(made, character, false);
  return made;
}

std::string lower(std::string_view text) {
  std::string made;
  for (const std::string_view character : Characters(text)) append_lower(made, character);
  return made;
}

std::string capitalize(std::string_view text) {
  return cased(text, [](std::uint32_t) { return false; });
}

std::string title(std::string_view text) {
  return cased(text, [](std::uint32_t code) { return !is_letter(code); });
}

std::string filter_title(std::string_view text) {
  return cased(text, [](std::uint32_t code) {
    return is_python_space(code) || code == '-' || code == '(' || code == '{' || code == '[' || code == '<';
  });
}

}  // namespace carryover::jinja
