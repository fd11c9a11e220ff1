// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/formats/json_file.h"
#include "engine/tokenizers/json_vocabulary.h"
#include "engine/tokenizers/tokenizer_json.h"

namespace carryover {

namespace {

using nlohmann::json;

class PieceJsonReader {
 public:
  PieceJsonReader(const json& root, const std::string& where) : fields_(root, where), where_(where) {}

  PieceJson read() {
    read_model();
    read_steps("normalizer", "normalizers", [this](const JsonFields& step) { read_normalizer(step); });
    read_steps("pre_tokenizer", "pretokenizers", [this](const JsonFields& step) { read_pretokenizer(step); });
    const SpaceRule& spaces = read_.spaces;
    if (!metaspace_ && !spaces.normalizer_replaces) unsupported("nothing that turns spaces into U+2581");
    if (spaces.doubles && spaces.prefix != SpaceRule::Prefix::Always)
      unsupported("a normalizer that doubles U+2581, without a Metaspace that always prepends it");
    read_.added = read_added_tokens(fields_, where_);
    return std::move(read_);
  }

 private:
  [[noreturn]] void unsupported(const std::string& what) const {
    throw EngineError(Fault::Unsupported, where_, "has " + what,
                      "Tokenizers as LLaMA 2's are supported: BPE with byte_fallback; normalizers Prepend and Replace, "
                      "or a pre_tokenizer Metaspace.");
  }

  void read_model() {
    const json* model = fields_.find("model");
    if (model == nullptr) throw EngineError(Fault::BadInput, where_, "model is missing", "Fetch the file again.");
    const JsonFields part(*model, where_ + ": model");
    const std::string type = part.find_text("type").value_or("BPE");
    if (type != "BPE") unsupported("a model of type " + type);
    if (part.find_number("dropout").value_or(0) != 0) unsupported("a BPE model with dropout");
    for (const char* affix : {"continuing_subword_prefix", "end_of_word_suffix"}) {
      if (!part.find_text(affix).value_or("").empty()) unsupported(std::string("a BPE model with ") + affix);
    }
    read_.vocabulary.ignore_merges = part.find_flag("ignore_merges").value_or(false);
    for (std::string& text : read_vocabulary(part, where_)) {
      const PieceKind kind = byte_of_piece(text) ? PieceKind::Byte : PieceKind::Normal;
      read_.vocabulary.pieces.push_back({std::move(text), kind});
    }
    read_.vocabulary.merges = read_merges(part, where_);
  }

  /// Reads one step, a Sequence of steps, or none.
  template <typename Read>
  void read_steps(const char* key, const char* list_key, const Read& read) const {
    const json* part = fields_.find(key);
    if (part == nullptr) return;
    const JsonFields fields(*part, where_ + ": " + key);
    if (fields.find_text("type").value_or("") != "Sequence") return read(fields);
    const json* list = fields.find(list_key);
    if (list == nullptr || !list->is_array())
      throw EngineError(Fault::BadInput, where_, std::string(key) + ": a Sequence is malformed",
                        "Fetch the file again.");
    for (const json& step : *list) read(JsonFields(step, where_ + ": " + key));
  }

  void read_normalizer(const JsonFields& step) {
    const std::string type = step.find_text("type").value_or("");
    const std::string mark(kSpaceMark), content = step.find_text("content").value_or("");
    SpaceRule& spaces = read_.spaces;
    if (type == "Prepend") {
      const std::string text = step.find_text("prepend").value_or("");
      if (text != mark && text != " ") unsupported("a normalizer that puts '" + text.substr(0, 40) + "' first");
      spaces.normalizer_prepends = true;
      return;
    }
    if (type != "Replace") unsupported("a normalizer (" + type + "), which changes the text");
    const json* pattern = step.find("pattern");
    if (pattern == nullptr) unsupported("a Replace without a pattern");
    const JsonFields from(*pattern, where_ + ": normalizer pattern");
    // The second form is how transformers spells SentencePiece's own prefix, which Metaspace leaves out before a space.
    if (from.find_text("String") == " " && content == mark) {
      spaces.normalizer_replaces = true;
    } else if (from.find_text("Regex") == "\\A" + mark && content == mark + mark) {
      spaces.doubles = true;
    } else {
      unsupported("a normalizer (Replace), which changes the text");
    }
  }

  /// Returns true for Gemma's cut at blanks, of which the normaliser has left none.
  bool cuts_at_blanks(const JsonFields& step) const {
    const json* pattern = step.find("pattern");
    return pattern != nullptr && read_.spaces.normalizer_replaces &&
           JsonFields(*pattern, where_ + ": pre_tokenizer pattern").find_text("String") == " " &&
           !step.find_flag("invert").value_or(false);
  }

  void read_pretokenizer(const JsonFields& step) {
    const std::string type = step.find_text("type").value_or("");
    if (type == "Split" && cuts_at_blanks(step)) return;
    if (type != "Metaspace" || metaspace_) unsupported("a pre_tokenizer of type " + type);
    if (step.find_text("replacement").value_or("") != kSpaceMark) unsupported("a Metaspace with another mark");
    const bool prefix = step.find_flag("add_prefix_space").value_or(true);
    const std::string scheme = step.find_text("prepend_scheme").value_or(prefix ? "always" : "never");
    if (scheme != "always" && scheme != "first" && scheme != "never") unsupported("a prepend_scheme '" + scheme + "'");
    read_.spaces.prefix = scheme == "always"  ? SpaceRule::Prefix::Always
                          : scheme == "first" ? SpaceRule::Prefix::First
                                              : SpaceRule::Prefix::Never;
    read_.spaces.splits = step.find_flag("split").value_or(true);
    metaspace_ = true;
  }

  JsonFields fields_;
  std::string where_;
  PieceJson read_;
  bool metaspace_ = false;
};

}  // namespace

bool has_byte_fallback(const json& json) {
  if (!json.is_object() || !json.contains("model") || !json["model"].is_object()) return false;
  const auto flag = json["model"].find("byte_fallback");
  return flag != json["model"].end() && flag->is_boolean() && flag->get<bool>();
}

PieceJson read_piece_json(const json& json, const std::string& where) {
  return PieceJsonReader(json, where).read();
}

}  // namespace carryover
