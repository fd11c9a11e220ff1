// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "engine/formats/json_file.h"
#include "engine/tokenizers/added_tokens.h"

namespace carryover {

// The parts that every tokenizer.json of the BPE kind has. Each function throws EngineError{BadInput}, which names
// `where`.

/// Reads `vocab` of the model, by id; empty for a gap.
std::vector<std::string> read_vocabulary(const JsonFields& model, const std::string& where);
/// Reads `merges` of the model, best first.
std::vector<std::pair<std::string, std::string>> read_merges(const JsonFields& model, const std::string& where);
/// Reads `added_tokens` of the file; none if it has no such list.
std::vector<AddedToken> read_added_tokens(const JsonFields& file, const std::string& where);

/// Reads an added token, without its id, as all of Hugging Face's files spell it. `special`: used if the file does not
/// say.
AddedToken added_token_from(const nlohmann::json& value, bool special, const std::string& where);

}  // namespace carryover
