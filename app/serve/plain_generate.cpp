// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/plain_generate.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "app/serve/api_fields.h"
#include "app/serve/completions.h"
#include "engine/formats/json_file.h"

namespace carryover {

namespace {

constexpr std::int64_t kGenerateTokens = 16;

}  // namespace

PlainRequest parse_plain(std::string_view body, const ServedModel& served) {
  const RequestFields fields = endpoint_fields(body, kGenerate);
  PlainRequest request{answer_settings(fields, served, kGenerateTokens),
                       fields.texts("prompt", kMostPrompts, std::numeric_limits<std::size_t>::max())};
  if (request.prompts.empty()) RequestFields::refuse("prompt", "is missing");
  return request;
}

void generate_plain(const PlainRequest& request, const ServedModel& served, ServingEngine& engine, ReplyWriter& writer,
                    Usage& usage, RunControl& control) {
  nlohmann::json texts = nlohmann::json::array();
  for (const std::string& text : request.prompts) {
    const Prompt prompt{served.encode(text), 0};
    require_tokens(prompt, "prompt");
    for (std::int64_t i = 0; i < request.settings.n; ++i) {
      std::string answer_text;
      const auto emit = [&](const AnswerPart& part) { answer_text += part.text; };
      Answer answered;
      if (request.settings.max_tokens > 0)
        answered = answer(engine, served, request.settings, std::ssize(texts), prompt, FirstBlank::Keep, emit, control);
      usage.add({i == 0 ? std::ssize(prompt.ids) : 0, answered.tokens});
      texts.push_back(answer_text);
    }
  }
  writer.reply({200, json_text({{"text", texts}})});
}

}  // namespace carryover
