// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>

#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// Tokenizer::load, with what a user should know of the files on standard error.
std::shared_ptr<const Tokenizer> load_tokenizer(const std::string& model);

}  // namespace carryover
