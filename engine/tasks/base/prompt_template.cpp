// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/base/prompt_template.h"

#include "engine/base/error.h"

namespace carryover {

namespace {

[[noreturn]] void refuse_template(const std::string& where, const std::string& problem) {
  throw EngineError(Fault::BadInput, where, problem, "Use the template of the official project.");
}

}  // namespace

PromptParts fill_prompt(std::string_view text, const nlohmann::json& values, const std::string& where) {
  PromptParts parts;
  std::string* part = &parts.context;
  while (!text.empty()) {
    const std::size_t brace = text.find_first_of("{}");
    *part += text.substr(0, brace);
    if (brace == std::string_view::npos) break;
    text.remove_prefix(brace);
    if (text.starts_with("{{") || text.starts_with("}}")) {
      *part += text.front();
      text.remove_prefix(2);
      continue;
    }
    const std::size_t end = text.find('}');
    if (text.front() == '}' || end == std::string_view::npos) refuse_template(where, "its prompt has a lone brace");
    const std::string name(text.substr(1, end - 1));
    const auto value = values.find(name);
    if (value == values.end() || !value->is_string())
      refuse_template(where, "its prompt asks for {" + name.substr(0, 60) + "}, which is not a field of the sample");
    *part += value->get_ref<const std::string&>();
    text.remove_prefix(end + 1);
    if (name == "context") part = &parts.question;
  }
  if (part == &parts.context) refuse_template(where, "its prompt has no {context}");
  return parts;
}

}  // namespace carryover
