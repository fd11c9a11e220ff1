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

/// The name of the template's time function. A value of this name is the time that the function tells, as wall_clock()
/// gives it.
inline constexpr const char* kTemplateClock = "strftime_now";

/// Returns the local time of this machine as seconds since its local 1 January 1970: transformers gives templates the
/// local time without a time zone.
std::int64_t wall_clock();

/// The format in which a model wants a conversation: the Jinja template that comes with it, with the meaning that
/// transformers' apply_chat_template() gives it. Immutable; any thread.
class ChatTemplate {
 public:
  /// Loads the template of a Hugging Face folder (chat_template.jinja, else tokenizer_config.json; of several named
  /// ones `default`) or of a GGUF file (tokenizer.chat_template). Returns nothing if the model has none. Throws
  /// EngineError{Io, BadInput, Unsupported}; for a template that can't be read, `where` has the line.
  static std::optional<ChatTemplate> load(const std::string& model_path);
  /// `where` names the text in errors; `specials` are values that each rendering gets: bos_token and the like.
  ChatTemplate(std::string text, std::string where, const nlohmann::ordered_json& specials);

  /// Renders a conversation. `messages`: a list of {"role", "content", …}. `extra`: more values by name, such as
  /// `tools`, which take precedence over the model's own; kTemplateClock among them is the time that the template sees,
  /// and without it the template sees no time. nlohmann::ordered_json keeps the order of an object's keys; plain
  /// nlohmann::json converts, with keys in order of their names. Throws EngineError{BadInput} if the template refuses
  /// the messages, fails, or exceeds the limits of jinja_run.h, and {Unsupported} if it needs Jinja that is not
  /// supported; `where` has the line.
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
