// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/terminal_text.h"

#include <cstdio>

#include "engine/base/utf8.h"

namespace carryover {

namespace {

bool controls(char32_t code) {
  const bool is_control = (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7F && code < 0xA0);
  const bool turns = code == 0x061C || code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
                     (code >= 0x2066 && code <= 0x2069);
  return is_control || turns || code == 0x2028 || code == 0x2029;
}

std::string spelled(const char* format, unsigned code) {
  char text[8];
  std::snprintf(text, sizeof text, format, code);
  return text;
}

}  // namespace

std::string terminal_text(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const Utf8Unit unit = first_utf8_unit(text);
    const std::string_view character = text.substr(0, unit.length);
    text.remove_prefix(character.size());
    if (unit.kind != Utf8Unit::Kind::Character) {
      for (const char byte : character) shown += spelled("\\x%02x", static_cast<unsigned char>(byte));
    } else if (const char32_t code = utf8_code(character); controls(code)) {
      shown += spelled("\\u%04x", static_cast<unsigned>(code));
    } else {
      shown += character;
    }
  }
  return shown;
}

void print_error_line(std::string_view text) {
  std::fputs((terminal_text(text) + "\n").c_str(), stderr);
  std::fflush(stderr);
}

void print_over_line(std::string_view text) {
  std::fputs(("\r" + terminal_text(text) + "\033[K").c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace carryover
