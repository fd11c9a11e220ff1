// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizers/character_class.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <memory>
#include <new>
#include <string>

#include "engine/base/error.h"
#include "engine/base/utf8.h"

namespace carryover {

namespace {

/// \w of Unicode's regular expressions (UTS 18): Alphabetic, marks, decimal digits, connectors and joiners. The ranges
/// are the letters among the symbols, which are alphabetic without being letters.
constexpr const char* kWord = R"([\p{L}\p{M}\p{Nl}\p{Nd}\p{Pc}\x{200c}\x{200d}\x{24b6}-\x{24e9}\x{1f130}-\x{1f149})"
                              R"(\x{1f150}-\x{1f169}\x{1f170}-\x{1f189}])";

struct FreeCode {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};
struct FreeMatch {
  void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
};

std::unique_ptr<pcre2_code, FreeCode> compile_word() {
  int error = 0;
  PCRE2_SIZE at = 0;
  std::unique_ptr<pcre2_code, FreeCode> code(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(kWord), PCRE2_ZERO_TERMINATED,
                                                           PCRE2_UTF | PCRE2_ANCHORED, &error, &at, nullptr));
  if (!code && error == PCRE2_ERROR_HEAP_FAILED) throw std::bad_alloc();
  CARRYOVER_CHECK(code != nullptr);
  return code;
}

}  // namespace

bool is_word_character(char32_t c) {
  static const auto code = compile_word();
  std::string character;
  append_utf8(character, c);
  const std::unique_ptr<pcre2_match_data, FreeMatch> match(pcre2_match_data_create(1, nullptr));
  if (!match) throw std::bad_alloc();
  return pcre2_match(code.get(), reinterpret_cast<PCRE2_SPTR>(character.data()), character.size(), 0,
                     PCRE2_NO_UTF_CHECK, match.get(), nullptr) >= 0;
}

}  // namespace carryover
