// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace carryover {

/// The first unit of some bytes, by Unicode's table of well-formed UTF-8 (no surrogates, no overlong forms).
struct Utf8Unit {
  enum class Kind { Character, Unfinished, Invalid };
  Kind kind = Kind::Invalid;
  std::size_t length = 1;  ///< bytes that it takes; if invalid, the part that could still have begun a character
};
Utf8Unit first_utf8_unit(std::string_view bytes);

/// Returns the code point of one character's bytes, or U+FFFD if they do not begin a character.
char32_t utf8_code(std::string_view character);
/// Appends a code point, or U+FFFD if it is not that of a character.
void append_utf8(std::string& text, char32_t code);

/// Returns the index of the first byte that is not valid UTF-8, or text.size().
std::size_t first_invalid_utf8(std::string_view text);

/// Throws EngineError{BadInput}, which names `where` and the byte's offset, if the text is not valid UTF-8.
void require_utf8(std::string_view text, const std::string& where);

/// Moves the complete characters from the front of `pending` to the result, with invalid bytes as U+FFFD. An incomplete
/// character stays in `pending`, unless nothing more comes (`last`): then it is invalid too.
std::string take_utf8(std::string& pending, bool last);

}  // namespace carryover
