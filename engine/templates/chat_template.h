// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace carryover {

namespace jinja {
struct Statement;
}

/// The value of this name is the time that the template's function of this name tells, as wall_clock() gives it.
inline constexpr const char* kTemplateClock = "strftime_now";

/// The local time of this machine as seconds since its local 1 January 1970: transformers gives templates the local
/// time without a time zone.
std::int64_t wall_clock();

/// How a model wants a conversation written: the Jinja template that comes with it, with the meaning that transformers'
/// apply_chat_template() gives it. Immutable; any thread.
class ChatTemplate {
 public:
  /// The template of a Hugging Face folder (chat_template.jinja, else tokenizer_config.json; of several named ones
  /// `default`) or a GGUF file (tokenizer.chat_template); nothing where the model has none. Throws EngineError{Io,
  /// BadInput, Unsupported}; of a template that can't be read, `where` has its line.
  static std::optional<ChatTemplate> load(const std::string& model_path);
  /// `where` names the text in errors; `specials` are values that each rendering gets: bos_token and its like.
  ChatTemplate(std::string text, std::string where, const nlohmann::ordered_json& specials);

  /// `messages`: a list of {"role", "content", …}. `extra`: more values by name, such as `tools`, which go before the
  /// model's own; kTemplateClock among them is the time that the template sees, without which it sees none. Objects
  /// keep the order of their keys where they are nlohmann::ordered_json; plain nlohmann::json converts, and has them in
  /// order of their names. Throws EngineError{BadInput} where the template refuses the messages or goes wrong or beyond
  /// the limits of jinja_run.h, {Unsupported} where it needs Jinja that is not supported; `where` has the line.
  std::string render(const nlohmann::ordered_json& messages, bool add_generation_prompt,
                     const nlohmann::ordered_json& extra) const;
  std::string render(const nlohmann::ordered_json& messages, bool add_generation_prompt) const;

  const std::string& text() const { return text_; }

 private:
  std::string text_, where_;
  std::shared_ptr<const nlohmann::ordered_json> specials_;
  std::shared_ptr<const std::vector<jinja::Statement>> body_;
};

}  // namespace carryover
