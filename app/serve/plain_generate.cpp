// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/plain_generate.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "app/serve/completions.h"
#include "engine/formats/json_file.h"

namespace carryover {

namespace {

constexpr std::int64_t kGenerateTokens = 16;

}  // namespace

PlainRequest parse_plain(std::string_view body, const ServedModel& served) {
  const RequestFields fields(body);
  PlainRequest request{answer_settings(fields, served, kGenerateTokens),
                       fields.texts("prompt", kMostPrompts, std::numeric_limits<std::size_t>::max())};
  if (request.prompts.empty()) RequestFields::refuse("prompt", "is missing");
  if (request.settings.stream) RequestFields::refuse("stream", "is not supported here: use /v1/completions");
  return request;
}

void generate_plain(const PlainRequest& request, const ServedModel& served, ServingEngine& engine, ReplyWriter& writer,
                    Usage& usage, RunControl& control) {
  nlohmann::json texts = nlohmann::json::array();
  for (const std::string& text : request.prompts) {
    const Prompt prompt{served.encode(text), 0};
    require_tokens(prompt, "prompt");
    Answer answered;
    if (request.settings.max_tokens > 0)
      answered = answer(
          engine, served, request.settings, prompt, std::nullopt, FirstBlank::Keep, [](const std::string&) {}, control);
    usage.add({std::ssize(prompt.ids), std::ssize(answered.generated.ids)});
    texts.push_back(answered.text);
  }
  writer.reply({200, json_text({{"text", texts}})});
}

}  // namespace carryover
