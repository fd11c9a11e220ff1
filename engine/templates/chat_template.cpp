// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/templates/chat_template.h"

#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/utf8.h"
#include "engine/formats/gguf.h"
#include "engine/formats/input_file.h"
#include "engine/formats/json_file.h"
#include "engine/templates/jinja_functions.h"
#include "engine/templates/jinja_interpreter.h"
#include "engine/templates/jinja_json.h"
#include "engine/templates/jinja_parser.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr const char* kSpecialNames[] = {"bos_token", "eos_token", "unk_token", "pad_token",
                                         "sep_token", "cls_token", "mask_token"};

/// Returns the text of a special token, which is a text, or an object with it.
std::optional<std::string> special_text(const nlohmann::json& config, const char* name) {
  const auto at = config.find(name);
  if (at == config.end()) return std::nullopt;
  if (at->is_string()) return at->get<std::string>();
  const auto content = at->is_object() ? at->find("content") : at->end();
  return at->is_object() && content != at->end() && content->is_string() ? std::optional(content->get<std::string>())
                                                                         : std::nullopt;
}

void add_specials(ordered_json& specials, const nlohmann::json& config) {
  if (!config.is_object()) return;
  for (const char* name : kSpecialNames) {
    if (specials.contains(name)) continue;
    if (const auto text = special_text(config, name)) specials[name] = *text;
  }
}

[[noreturn]] void refuse_list(const std::string& where) {
  throw EngineError(Fault::BadInput, where, "chat_template is neither a text nor a list of named templates",
                    "Fetch the file again, or repair it.");
}

/// Returns, of several templates, the one that transformers takes if none is named.
std::optional<std::string> named_template(const nlohmann::json& list, const std::string& where) {
  if (!list.is_array()) refuse_list(where);
  for (const nlohmann::json& entry : list) {
    if (!entry.is_object()) refuse_list(where);
    const auto name = entry.find("name"), text = entry.find("template");
    if (name == entry.end() || text == entry.end() || !text->is_string()) refuse_list(where);
    if (*name == "default") return text->get<std::string>();
  }
  return std::nullopt;
}

std::optional<std::string> configured_template(const nlohmann::json& config, const std::string& where) {
  const auto at = config.is_object() ? config.find("chat_template") : config.end();
  if (!config.is_object() || at == config.end() || at->is_null()) return std::nullopt;
  return at->is_string() ? at->get<std::string>() : named_template(*at, where);
}

std::optional<ChatTemplate> folder_template(const fs::path& folder) {
  const fs::path file = folder / "chat_template.jinja", config_file = folder / "tokenizer_config.json";
  ordered_json specials = ordered_json::object();
  nlohmann::json config;
  std::error_code unreadable;  // reading it then reports the reason
  if (fs::exists(config_file, unreadable)) config = read_json_file(config_file.string());
  add_specials(specials, config);
  if (const fs::path map = folder / "special_tokens_map.json"; fs::exists(map, unreadable)) {
    add_specials(specials, read_json_file(map.string()));
  }
  if (fs::exists(file, unreadable)) {
    const auto most = static_cast<std::int64_t>(jinja::kMaxTemplateBytes) + 1;  // one byte more than allowed is refused
    return ChatTemplate(InputFile(file.string()).read_up_to(0, most), file.string(), specials);
  }
  const auto text = configured_template(config, config_file.string());
  if (!text) return std::nullopt;
  return ChatTemplate(*text, config_file.string() + ": chat_template", specials);
}

std::optional<ChatTemplate> gguf_template(const GgufFile& file) {
  const auto text = file.find_string("tokenizer.chat_template");
  if (!text) return std::nullopt;
  ordered_json specials = ordered_json::object();
  const auto tokens = file.find_strings("tokenizer.ggml.tokens");
  for (const auto& [key, name] : {std::pair("tokenizer.ggml.bos_token_id", "bos_token"),
                                  {"tokenizer.ggml.eos_token_id", "eos_token"},
                                  {"tokenizer.ggml.unknown_token_id", "unk_token"},
                                  {"tokenizer.ggml.padding_token_id", "pad_token"}}) {
    const auto id = file.find_int(key);
    if (tokens && id && *id >= 0 && *id < std::ssize(*tokens)) {
      specials[name] = std::string((*tokens)[static_cast<std::size_t>(*id)]);
    }
  }
  return ChatTemplate(std::string(*text), file.where() + ": tokenizer.chat_template", specials);
}

void set_all(jinja::Run& run, jinja::Interpreter& interpreter, const ordered_json& values) {
  if (values.is_null()) return;
  if (!values.is_object()) run.refuse("the values for a template are not an object");
  for (const auto& [name, value] : values.items()) {
    if (name == kTemplateClock) {
      if (!value.is_number_integer()) run.refuse("strftime_now is a time in seconds since 1970");
      interpreter.set(name, jinja::make_clock(value.get<std::int64_t>()));
    } else {
      interpreter.set(name, jinja::value_from_json(run, value));
    }
  }
}

}  // namespace

std::int64_t wall_clock() {
  const std::time_t now = std::time(nullptr);
  std::tm fields{};
  return ::localtime_r(&now, &fields) != nullptr ? std::int64_t{::timegm(&fields)} : std::int64_t{now};
}

std::optional<ChatTemplate> ChatTemplate::load(const std::string& model_path) {
  std::error_code unreadable;  // opening it then reports the reason
  if (fs::is_directory(model_path, unreadable)) return folder_template(model_path);
  return gguf_template(GgufFile::open(model_path));
}

ChatTemplate::ChatTemplate(std::string text, std::string where, const ordered_json& specials)
    : text_(std::move(text)), where_(std::move(where)), specials_(std::make_shared<const ordered_json>(specials)) {
  jinja::Run run(where_);
  if (text_.size() > jinja::kMaxTemplateBytes) run.refuse("the template is larger than 1 MiB");
  require_utf8(text_, where_);
  body_ = std::make_shared<const jinja::Body>(jinja::parse_template(run, text_));
}

std::string ChatTemplate::render(const ordered_json& messages, bool add_generation_prompt) const {
  return render(messages, add_generation_prompt, ordered_json());
}

std::string ChatTemplate::render(const ordered_json& messages, bool add_generation_prompt,
                                 const ordered_json& extra) const {
  jinja::Run run(where_);
  jinja::Interpreter interpreter(run);
  for (const char* absent : {"tools", "documents"}) interpreter.set(absent, {std::monostate{}});
  set_all(run, interpreter, *specials_);
  interpreter.set("messages", jinja::value_from_json(run, messages));
  interpreter.set("add_generation_prompt", {add_generation_prompt});
  set_all(run, interpreter, extra);
  return interpreter.render(*body_);
}

}  // namespace carryover
