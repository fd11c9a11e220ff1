// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "engine/formats/json_file.h"
#include "engine/tokenizers/added_tokens.h"

namespace carryover {

// The parts that every tokenizer.json of the BPE kind has. Each throws EngineError{BadInput} naming `where`.

/// `vocab` of the model, by id; empty for a gap.
std::vector<std::string> read_vocabulary(const JsonFields& model, const std::string& where);
/// `merges` of the model, best first.
std::vector<std::pair<std::string, std::string>> read_merges(const JsonFields& model, const std::string& where);
/// `added_tokens` of the file; none where it has no such list.
std::vector<AddedToken> read_added_tokens(const JsonFields& file, const std::string& where);

/// An added token as all of Hugging Face's files spell it, without its id. `special`: what it is where it doesn't say.
AddedToken added_token_from(const nlohmann::json& value, bool special, const std::string& where);

}  // namespace carryover
