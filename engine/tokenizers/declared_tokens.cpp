// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizers/declared_tokens.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "engine/base/error.h"
#include "engine/formats/json_file.h"
#include "engine/tokenizers/bpe_tokenizer.h"
#include "engine/tokenizers/json_vocabulary.h"

namespace carryover {

namespace {

using nlohmann::json;

const json kEmptyText(json::value_t::string);

constexpr const char* kNamed[] = {"bos_token", "eos_token", "unk_token", "sep_token",
                                  "pad_token", "cls_token", "mask_token"};

/// Gathers tokens in transformers' order, then numbers them.
class Declaration {
 public:
  Declaration(const HfTokenizerFiles& files, BaseVocabulary base) : files_(files), base_(std::move(base)) {
    for (const auto& [name, spelling] : base_.named)
      named_[name] = added_token_from(spelling, true, place("vocabulary"));
    read_config();
    if (has_decoder_)
      read_decoder();
    else
      read_older_files();
  }

  DeclaredTokens number() {
    std::unordered_set<std::string> named;
    for (const auto& [name, token] : named_)
      if (token) named.insert(token->text);
    for (const AddedToken& token : base_.added) add(token);
    for (auto& [file_id, token] : decoder_) {
      token.special = token.special || named.contains(token.text);
      token.normalized = token.normalized && !base_.raw_added;
      if (const std::int32_t id = add(token); id != file_id) note_number(token, file_id, id);
    }
    for (const auto& entry : index_) listed_.insert(entry.first);
    for (const auto& name : order())
      if (const auto& token = named_[name]) add_unlisted(*token);
    for (const AddedToken& token : extra_tokens()) add_unlisted(token);
    result_.bos = id_of("bos_token");
    result_.eos = id_of("eos_token");
    return std::move(result_);
  }

 private:
  std::string place(const std::string& name) const { return files_.folder + "/" + name; }

  void read_config() {
    if (files_.tokenizer_config.is_null()) return;
    const std::string where = place("tokenizer_config.json");
    const JsonFields fields(files_.tokenizer_config, where);
    has_decoder_ = fields.find("added_tokens_decoder") != nullptr;
    for (const auto& [key, value] : files_.tokenizer_config.items()) read_entry(key, value, where);
  }

  /// Reads "eos_token", another "…_token", or a list of more special tokens.
  void read_entry(const std::string& key, const json& value, const std::string& where) {
    const bool standard = std::ranges::find(kNamed, key) != std::end(kNamed);
    if ((standard || named_.contains(key)) && (value.is_null() || value == kEmptyText)) {
      named_[key] = std::nullopt;
    } else if (key.ends_with("_token") && ((value.is_string() && value != kEmptyText) || value.is_object())) {
      named_[key] = spelled(value, where);
    } else if (key == "additional_special_tokens" || key == "extra_special_tokens") {
      read_extra(value, where, extra_);
    }
  }

  void read_extra(const json& value, const std::string& where, std::optional<std::vector<AddedToken>>& extra) {
    if (value.is_object()) {
      for (const auto& [name, token] : value.items()) named_[name] = spelled(token, where);
    } else if (value.is_array()) {
      if (!extra) extra.emplace();
      for (const json& token : value) extra->push_back(spelled(token, where));
    }
  }

  static AddedToken spelled(const json& value, const std::string& where) {
    AddedToken token = added_token_from(value, true, where);
    token.special = true;
    return token;
  }

  void read_decoder() {
    const std::string where = place("tokenizer_config.json: added_tokens_decoder");
    const json& list = files_.tokenizer_config.at("added_tokens_decoder");
    if (!list.is_object()) throw EngineError(Fault::BadInput, where, "is not an object", "Fetch the file again.");
    for (const auto& [key, value] : list.items()) {
      std::int32_t id = -1;
      const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
      if (error != std::errc() || end != key.data() + key.size()) id = -1;
      list_token(id, added_token_from(value, false, where), where);
    }
  }

  void list_token(std::int64_t id, AddedToken token, const std::string& where) {
    if (id < 0 || id >= kMaxVocabulary)
      throw EngineError(Fault::BadInput, where, "'" + token.text.substr(0, 40) + "' has no id in range",
                        "Fetch the file again.");
    decoder_[static_cast<std::int32_t>(id)] = std::move(token);
  }

  void read_older_files() {
    if (!files_.special_tokens_map.is_null()) {
      const std::string where = place("special_tokens_map.json");
      const JsonFields fields(files_.special_tokens_map, where);
      for (const auto& [key, value] : files_.special_tokens_map.items()) {
        if (key == "additional_special_tokens")
          read_extra(value, where, additional_);
        else
          read_entry(key, value, where);
      }
    }
    if (!files_.added_tokens.is_null()) read_added_tokens_json(place("added_tokens.json"));
    if (!files_.tokenizer.is_null()) {
      const std::string where = place("tokenizer.json");
      for (AddedToken& token : read_added_tokens(JsonFields(files_.tokenizer, where), where)) {
        const std::int32_t id = token.id;
        list_token(id, std::move(token), where);
      }
    }
  }

  /// Reads a file of only spellings with their ids. A token is special if the other files call it so.
  void read_added_tokens_json(const std::string& where) {
    std::unordered_set<std::string> special, additional;
    for (const char* name : kNamed)
      if (const auto found = named_.find(name); found != named_.end() && found->second)
        special.insert(found->second->text);
    for (const AddedToken& token : extra_.value_or(std::vector<AddedToken>())) special.insert(token.text);
    for (const AddedToken& token : additional_.value_or(std::vector<AddedToken>())) additional.insert(token.text);
    const JsonFields fields(files_.added_tokens, where);
    for (const auto& [text, id] : files_.added_tokens.items()) {
      AddedToken token = added_token_from(text, special.contains(text), where);
      token.special = token.special || additional.contains(text);  // transformers then leaves `normalized` on
      list_token(fields.integer(text.c_str()), std::move(token), where);
    }
  }

  /// Returns the extra tokens. The own ones of a tokenizer.model take the place of what special_tokens_map.json lists.
  const std::vector<AddedToken>& extra_tokens() const {
    if (extra_) return *extra_;
    return additional_ && !base_.is_model_file ? *additional_ : base_.extra;
  }

  /// Returns the names in order: the standard ones first, then the class's own, then those of the files.
  std::vector<std::string> order() const {
    std::vector<std::string> names(std::begin(kNamed), std::end(kNamed));
    std::unordered_set<std::string> known(names.begin(), names.end());
    const auto add_name = [&](const std::string& name) {
      if (known.insert(name).second) names.push_back(name);
    };
    for (const auto& entry : base_.named) add_name(entry.first);
    for (const auto& entry : named_) add_name(entry.first);
    return names;
  }

  /// Adds a token. If its spelling is known, that token keeps its id and gets these properties.
  std::int32_t add(AddedToken token) {
    if (const auto known = index_.find(token.text); known != index_.end()) {
      AddedToken& there = result_.added[known->second];
      token.id = there.id;
      there = std::move(token);
      return there.id;
    }
    const auto in_vocabulary = base_.find(token.text);
    token.id = in_vocabulary ? *in_vocabulary : next_id();
    highest_ = std::max<std::int64_t>(highest_, token.id);
    index_[token.text] = result_.added.size();
    return result_.added.emplace_back(std::move(token)).id;
  }

  /// Adds a token that no list has. A list's entry takes precedence; of other mentions, the last one counts.
  void add_unlisted(const AddedToken& token) {
    if (!listed_.contains(token.text)) add(token);
  }

  void note_number(const AddedToken& token, std::int32_t file_id, std::int32_t id) {
    result_.notes.push_back("The files give the added token '" + token.text.substr(0, 60) + "' the id " +
                            std::to_string(file_id) + "; as in transformers it has " + std::to_string(id) +
                            ", its own or the next free one of the vocabulary.");
  }

  std::int32_t next_id() const { return static_cast<std::int32_t>(std::max(highest_ + 1, base_.size)); }

  std::optional<std::int32_t> id_of(const char* name) const {
    const auto token = named_.find(name);
    if (token == named_.end() || !token->second) return std::nullopt;
    const auto at = index_.find(token->second->text);
    return at == index_.end() ? std::nullopt : std::optional(result_.added[at->second].id);
  }

  const HfTokenizerFiles& files_;
  BaseVocabulary base_;
  bool has_decoder_ = false;
  std::map<std::string, std::optional<AddedToken>> named_;
  std::map<std::int32_t, AddedToken> decoder_;
  std::optional<std::vector<AddedToken>> extra_, additional_;
  std::unordered_map<std::string, std::size_t> index_;  ///< indices of `result_.added`, by spelling
  std::unordered_set<std::string> listed_;
  DeclaredTokens result_;
  std::int64_t highest_ = -1;
};

}  // namespace

DeclaredTokens declared_tokens(const HfTokenizerFiles& files, BaseVocabulary base) {
  return Declaration(files, std::move(base)).number();
}

}  // namespace carryover
