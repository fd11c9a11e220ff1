// SPDX-License-Identifier: GPL-3.0-or-later
// A chat template, and conversations that it renders (engine/templates/chat_template.h).
#include <nlohmann/json.hpp>

#include "engine/templates/chat_template.h"
#include "engine/templates/jinja_run.h"
#include "fuzz/support/fuzz.h"

using namespace carryover;
using namespace carryover::fuzz;
using nlohmann::ordered_json;

namespace {

const ordered_json& extra() {
  static const ordered_json values = ordered_json::parse(R"({"strftime_now": 1751328000, "enable_thinking": false,
    "tools": [{"type": "function", "function": {"name": "f", "description": "A “tool”.", "parameters": {
      "type": "object", "required": ["a"], "properties": {"a": {"type": "string", "enum": ["x", "y"]},
      "b": {"type": "array", "items": {"type": ["number", "null"]}}}}}}]})");
  return values;
}

const ordered_json& conversation() {
  static const ordered_json messages = ordered_json::parse(R"([{"role": "system", "content": " S.\n"},
    {"role": "user", "content": [{"type": "text", "text": "Größe?"}, {"type": "image"}]},
    {"role": "assistant", "content": null, "tool_calls": [{"id": "call12345", "type": "function",
      "function": {"name": "f", "arguments": {"a": "x", "b": [1, 2.5, null], "c": true}}}]},
    {"role": "tool", "content": "{\"r\": 1}", "tool_call_id": "call12345", "name": "f"},
    {"role": "assistant", "content": "<think>\nHm.\n</think>\n\nYes."}, {"role": "user", "content": "And?"}])");
  return messages;
}

/// Checks that the same template and messages give the same text twice, or are refused both times.
void render_twice(const ChatTemplate& chat, const ordered_json& messages) {
  std::string first, second;
  const bool rendered = accepts([&] { first = chat.render(messages, true, extra()); });
  require(first.size() <= jinja::kMaxTextBytes, "an output is within its limit");
  require(accepts([&] { second = chat.render(messages, true, extra()); }) == rendered && first == second,
          "a template renders as it did before");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::optional<ChatTemplate> chat;
  const ordered_json specials{{"bos_token", "<s>"}, {"eos_token", "</s>"}};
  if (!accepts([&] { chat.emplace(std::string(view(data, size)), "input.jinja", specials); })) return 0;
  require(chat->text() == view(data, size), "a template keeps its text");
  render_twice(*chat, conversation());
  accepts([&] { chat->render(ordered_json::array(), false); });
  return 0;
}
