// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/noted_tokenizer.h"

#include <cstdio>

namespace carryover {

std::shared_ptr<const Tokenizer> load_tokenizer(const std::string& model) {
  auto tokenizer = Tokenizer::load(model);
  for (const std::string& note : tokenizer->notes()) std::fprintf(stderr, "%s: %s\n", model.c_str(), note.c_str());
  return tokenizer;
}

}  // namespace carryover
