// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizers/noted_tokenizer.h"

#include "engine/base/terminal_text.h"

namespace carryover {

std::shared_ptr<const Tokenizer> load_tokenizer(const std::string& model) {
  auto tokenizer = Tokenizer::load(model);
  for (const std::string& note : tokenizer->notes()) print_error_line(model + ": " + note);
  return tokenizer;
}

}  // namespace carryover
