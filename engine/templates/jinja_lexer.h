// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/templates/jinja_value.h"

namespace carryover::jinja {

struct Token {
  enum class Kind { Text, BlockBegin, BlockEnd, PrintBegin, PrintEnd, Name, Operator, Constant, End };
  Kind kind = Kind::End;
  int line = 1;
  std::string text;  ///< for Text, Name and Operator
  Value value;       ///< for Constant: a string or a number
};

/// Returns the tokens of a template, with End as the last one. Blanks around tags are cut as transformers' environment
/// cuts them (trim_blocks, lstrip_blocks). Refuses text that is not a token, with its line.
std::vector<Token> read_tokens(Run& run, std::string_view source);

}  // namespace carryover::jinja
