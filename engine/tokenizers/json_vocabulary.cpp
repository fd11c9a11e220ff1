// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizers/json_vocabulary.h"

#include "engine/base/error.h"
#include "engine/tokenizers/bpe_tokenizer.h"

namespace carryover {

using nlohmann::json;

namespace {

[[noreturn]] void broken(const std::string& where, const std::string& problem) {
  throw EngineError(Fault::BadInput, where, problem, "Fetch the file again.");
}

}  // namespace

std::vector<std::string> read_vocabulary(const JsonFields& model, const std::string& where) {
  const json* vocabulary = model.find("vocab");
  if (vocabulary == nullptr || !vocabulary->is_object()) broken(where, "model.vocab is not an object");
  std::vector<std::string> tokens;
  for (const auto& [token, id] : vocabulary->items()) {
    const bool fits = id.is_number_unsigned() && id.get<std::uint64_t>() < static_cast<std::uint64_t>(kMaxVocabulary);
    if (!fits) broken(where, "model.vocab: '" + token.substr(0, 40) + "' has no id in range");
    const auto at = id.get<std::size_t>();
    if (at >= tokens.size()) tokens.resize(at + 1);
    if (token.empty() || !tokens[at].empty())
      broken(where, "model.vocab: id " + std::to_string(at) + " appears twice, or is empty");
    tokens[at] = token;
  }
  return tokens;
}

/// Reads merges. Older files write "a b", newer ones ["a", "b"].
std::vector<std::pair<std::string, std::string>> read_merges(const JsonFields& model, const std::string& where) {
  const json* list = model.find("merges");
  if (list == nullptr || !list->is_array()) broken(where, "model.merges is not an array");
  std::vector<std::pair<std::string, std::string>> merges;
  for (const json& merge : *list) {
    const std::string place = "merge " + std::to_string(merges.size());
    if (merge.is_string()) {
      const auto& text = merge.get_ref<const std::string&>();
      const std::size_t space = text.find(' ');
      if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos)
        broken(where, place + " is not two tokens");
      merges.emplace_back(text.substr(0, space), text.substr(space + 1));
    } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
      merges.emplace_back(merge[0].get<std::string>(), merge[1].get<std::string>());
    } else {
      broken(where, place + " is not two tokens");
    }
  }
  return merges;
}

std::vector<AddedToken> read_added_tokens(const JsonFields& file, const std::string& where) {
  const json* added = file.find("added_tokens");
  if (added == nullptr) return {};
  if (!added->is_array()) broken(where, "added_tokens is not an array");
  std::vector<AddedToken> tokens;
  for (const json& entry : *added) {
    AddedToken token = added_token_from(entry, false, where + ": added_tokens");
    const std::int64_t id = JsonFields(entry, where + ": added_tokens").integer("id");
    if (id < 0 || id >= kMaxVocabulary)
      broken(where, "the added token '" + token.text.substr(0, 40) + "' has id " + std::to_string(id));
    token.id = static_cast<std::int32_t>(id);
    tokens.push_back(std::move(token));
  }
  return tokens;
}

AddedToken added_token_from(const json& value, bool special, const std::string& where) {
  AddedToken token;
  token.special = special;
  token.normalized = !special;
  if (value.is_string()) {
    token.text = value.get<std::string>();
  } else {
    const JsonFields fields(value, where);
    token.text = fields.find_text("content").value_or("");
    token.special = fields.find_flag("special").value_or(special);
    token.normalized = fields.find_flag("normalized").value_or(!token.special);
    token.lstrip = fields.find_flag("lstrip").value_or(false);
    token.rstrip = fields.find_flag("rstrip").value_or(false);
    token.single_word = fields.find_flag("single_word").value_or(false);
  }
  if (token.text.empty()) broken(where, "an added token is empty");
  return token;
}

}  // namespace carryover
