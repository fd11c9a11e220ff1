// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizers/tokenizer_json.h"

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/formats/json_file.h"
#include "engine/tokenizers/json_vocabulary.h"

namespace carryover {

namespace {

using nlohmann::json;

class JsonTokenizerReader {
 public:
  JsonTokenizerReader(const json& root, const std::string& where) : fields_(root, where), where_(where) {}

  BpeDefinition read() {
    definition_.where = where_;
    read_model();
    read_normalizer(fields_.find("normalizer"));
    definition_.added = read_added_tokens(fields_, where_);
    const json* pretokenizer = fields_.find("pre_tokenizer");
    if (pretokenizer == nullptr) unsupported("no pre_tokenizer", kSupported);
    read_pretokenizer(*pretokenizer, 0);
    if (!byte_level_) unsupported("a pre_tokenizer without ByteLevel", kKinds);
    return std::move(definition_);
  }

 private:
  static constexpr const char* kSupported = "Byte-level BPE is supported, without a normalizer or with NFC.";
  static constexpr const char* kKinds = "Byte-level BPE, and BPE with byte_fallback and Metaspace are supported.";
  static constexpr int kMaxSequences = 8;

  [[noreturn]] void unsupported(const std::string& what, const std::string& advice) const {
    throw EngineError(Fault::Unsupported, where_, "has " + what, advice);
  }
  [[noreturn]] void broken(const std::string& problem) const {
    throw EngineError(Fault::BadInput, where_, problem, "Fetch the file again.");
  }
  /// Returns an object's "type", or "" if it is absent.
  std::string type_of(const json& object, const std::string& part) const {
    return JsonFields(object, where_ + ": " + part).find_text("type").value_or("");
  }

  void read_model() {
    const json* model = fields_.find("model");
    if (model == nullptr) broken("model is missing");
    const JsonFields part(*model, where_ + ": model");
    const std::string type = part.find_text("type").value_or("BPE");
    if (type != "BPE") unsupported("a model of type " + type, kSupported);
    if (part.find_flag("byte_fallback").value_or(false))
      unsupported("a byte-level BPE model with byte_fallback", kKinds);
    if (part.find_number("dropout").value_or(0) != 0) unsupported("a BPE model with dropout", kSupported);
    for (const char* affix : {"continuing_subword_prefix", "end_of_word_suffix"}) {
      if (!part.find_text(affix).value_or("").empty())
        unsupported(std::string("a BPE model with ") + affix, kSupported);
    }
    definition_.ignore_merges = part.find_flag("ignore_merges").value_or(false);
    definition_.tokens = read_vocabulary(part, where_);
    definition_.merges = read_merges(part, where_);
  }

  /// NFC is the only step that byte-level tokenizers of supported models take before they cut a text.
  void read_normalizer(const json* normalizer) {
    if (normalizer == nullptr) return;
    const std::string type = type_of(*normalizer, "normalizer");
    const json* parts = JsonFields(*normalizer, where_ + ": normalizer").find("normalizers");
    const bool sequence = type == "Sequence" && parts != nullptr && parts->is_array();
    if (sequence && parts->size() == 1) return read_normalizer(&parts->front());
    if (type == "NFC") definition_.nfc = true;
    if (type == "NFC" || (sequence && parts->empty())) return;
    unsupported("a normalizer (" + type + "), which changes the text", kSupported);
  }

  void read_pretokenizer(const json& part, int depth) {
    const std::string type = type_of(part, "pre_tokenizer");
    const JsonFields fields(part, where_ + ": pre_tokenizer");
    if (byte_level_) unsupported("a pre_tokenizer after ByteLevel (" + type + ")", kSupported);
    if (type == "Sequence") {
      const json* parts = fields.find("pretokenizers");
      if (parts == nullptr || !parts->is_array() || depth == kMaxSequences)
        broken("pre_tokenizer: a Sequence is malformed");
      for (const json& each : *parts) read_pretokenizer(each, depth + 1);
    } else if (type == "Split") {
      read_split(fields);
    } else if (type == "Digits") {
      const bool individual = fields.find_flag("individual_digits").value_or(false);
      definition_.patterns.emplace_back(individual ? pretokenizer_patterns::kDigit : pretokenizer_patterns::kDigits);
    } else if (type == "ByteLevel") {
      if (fields.find_flag("add_prefix_space").value_or(true)) {
        unsupported("ByteLevel with add_prefix_space, which changes the text", kSupported);
      }
      if (fields.find_flag("use_regex").value_or(true)) definition_.patterns.emplace_back(pretokenizer_patterns::kGpt2);
      byte_level_ = true;
    } else {
      unsupported("a pre_tokenizer of type " + type, type == "Metaspace" ? kKinds : kSupported);
    }
  }

  void read_split(const JsonFields& fields) {
    const std::string behavior = fields.find_text("behavior").value_or("");
    if (behavior != "Isolated") unsupported("a Split with behavior " + behavior, kSupported);
    if (fields.find_flag("invert").value_or(false)) unsupported("a Split with invert", kSupported);
    const json* pattern = fields.find("pattern");
    if (pattern == nullptr) broken("pre_tokenizer: a Split has no pattern");
    const auto regex = JsonFields(*pattern, where_ + ": pre_tokenizer pattern").find_text("Regex");
    if (!regex) unsupported("a Split by something other than Regex", kSupported);
    definition_.patterns.push_back(*regex);
  }

  JsonFields fields_;
  std::string where_;
  BpeDefinition definition_;
  bool byte_level_ = false;
};

}  // namespace

BpeDefinition read_tokenizer_json(const json& json, const std::string& where) {
  return JsonTokenizerReader(json, where).read();
}

}  // namespace carryover
