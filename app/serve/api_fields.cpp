// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/api_fields.h"

#include <algorithm>

#include "engine/formats/json_file.h"

namespace carryover {

namespace {

constexpr FieldUse kApplied = FieldUse::Applied, kAccepted = FieldUse::Accepted, kRefused = FieldUse::Refused;
constexpr unsigned kAnswers = kCompletions | kChat | kGenerate, kTexts = kCompletions | kChat,
                   kTokenizers = kTokenize | kDetokenize;

constexpr ApiField kApiFields[] = {
    {"model", kAnswers | kStates, kApplied},
    {"model", kTokenizers, kAccepted},
    {"prompt", kCompletions | kGenerate | kTokenize | kStates, kApplied},
    {"messages", kChat, kApplied},
    {"tokens", kDetokenize, kApplied},
    {"name", kStates, kApplied},
    {"question", kCompletions, kApplied},
    {"state", kCompletions, kApplied},
    {"max_tokens", kAnswers, kApplied},
    {"max_completion_tokens", kChat, kApplied},
    {"min_tokens", kAnswers, kApplied},
    {"temperature", kAnswers, kApplied},
    {"top_p", kAnswers, kApplied},
    {"top_k", kAnswers, kApplied},
    {"seed", kAnswers, kApplied},
    {"n", kAnswers, kApplied},
    {"best_of", kCompletions | kGenerate, kApplied},
    {"stop", kAnswers, kApplied},
    {"stop_token_ids", kAnswers, kApplied},
    {"ignore_eos", kAnswers, kApplied},
    {"stream", kTexts, kApplied},
    {"stream", kGenerate, kRefused, "[false]"},
    {"stream_options", kTexts, kApplied},
    {"logprobs", kTexts, kApplied},
    {"top_logprobs", kChat, kApplied},
    {"echo", kCompletions, kApplied},
    {"add_special_tokens", kTokenize, kApplied},
    {"add_generation_prompt", kChat, kApplied},
    {"continue_final_message", kChat, kApplied},
    {"chat_template_kwargs", kChat, kApplied},

    {"user", kAnswers, kAccepted},
    {"metadata", kTexts, kAccepted},
    {"safety_identifier", kTexts, kAccepted},
    {"prompt_cache_key", kTexts, kAccepted},
    {"prompt_cache_retention", kTexts, kAccepted},
    {"cache_prompt", kTexts, kAccepted},
    {"request_id", kTexts, kAccepted},
    {"priority", kTexts, kAccepted},
    {"parallel_tool_calls", kChat, kAccepted},
    {"spaces_between_special_tokens", kAnswers, kAccepted},

    {"echo", kChat, kRefused, "[false]"},
    {"suffix", kCompletions, kRefused, R"([""])"},
    {"add_special_tokens", kCompletions, kRefused, "[true]"},
    {"add_special_tokens", kChat, kRefused, "[false]"},
    {"response_format", kTexts, kRefused, R"([{"type": "text"}])"},
    {"tools", kTexts, kRefused, "[[]]"},
    {"tool_choice", kTexts, kRefused, R"(["none", "auto"])"},
    {"functions", kChat, kRefused, "[[]]"},
    {"function_call", kChat, kRefused, R"(["none", "auto"])"},
    {"logit_bias", kAnswers, kRefused, "[{}]"},
    {"presence_penalty", kAnswers, kRefused, "[0]"},
    {"frequency_penalty", kAnswers, kRefused, "[0]"},
    {"repetition_penalty", kAnswers, kRefused, "[1]"},
    {"length_penalty", kAnswers, kRefused, "[1]"},
    {"min_p", kAnswers, kRefused, "[0]"},
    {"typical_p", kAnswers, kRefused, "[1]"},
    {"use_beam_search", kAnswers, kRefused, "[false]"},
    {"num_beams", kAnswers, kRefused, "[1]"},
    {"early_stopping", kAnswers, kRefused, "[false]"},
    {"bad_words", kAnswers, kRefused, "[[]]"},
    {"allowed_token_ids", kAnswers, kRefused},
    {"logits_processors", kAnswers, kRefused, "[[]]"},
    {"guided_json", kAnswers, kRefused},
    {"guided_regex", kAnswers, kRefused},
    {"guided_choice", kAnswers, kRefused},
    {"guided_grammar", kAnswers, kRefused},
    {"guided_decoding_backend", kAnswers, kRefused},
    {"structured_outputs", kAnswers, kRefused},
    {"grammar", kAnswers, kRefused, R"([""])"},
    {"json_schema", kAnswers, kRefused},
    {"include_stop_str_in_output", kAnswers, kRefused, "[false]"},
    {"skip_special_tokens", kAnswers, kRefused, "[true]"},
    {"detokenize", kAnswers, kRefused, "[true]"},
    {"truncate_prompt_tokens", kAnswers, kRefused},
    {"prompt_logprobs", kAnswers, kRefused},
    {"return_token_ids", kTexts, kRefused, "[false]"},
    {"return_tokens_as_token_ids", kTexts, kRefused, "[false]"},
    {"chat_template", kChat, kRefused},
    {"documents", kChat, kRefused, "[[]]"},
    {"reasoning_effort", kChat, kRefused},
    {"verbosity", kChat, kRefused, R"(["medium"])"},
    {"modalities", kChat, kRefused, R"([["text"]])"},
    {"audio", kChat, kRefused},
    {"prediction", kChat, kRefused},
    {"web_search_options", kChat, kRefused},
    {"service_tier", kTexts, kRefused, R"(["auto", "default"])"},
    {"store", kTexts, kRefused, "[false]"},
};

void check_field(const std::string& name, const nlohmann::json& value, Endpoint endpoint) {
  const auto* const field = std::ranges::find_if(
      kApiFields, [&](const ApiField& each) { return (each.endpoints & endpoint) != 0 && name == each.name; });
  if (value.is_null()) return;
  constexpr std::size_t kShownBytes = 80;
  if (field == std::end(kApiFields))
    RequestFields::refuse(name.substr(0, kShownBytes).c_str(), "is not a field that this server knows: leave it out");
  if (field->use != kRefused) return;
  const nlohmann::json neutral = parse_json(field->neutral, "the table of fields");
  if (std::ranges::find(neutral, value) == neutral.end())
    RequestFields::refuse(field->name, "is not supported: leave it out");
}

}  // namespace

std::span<const ApiField> api_fields() {
  return kApiFields;
}

RequestFields endpoint_fields(std::string_view body, Endpoint endpoint) {
  RequestFields fields(body);
  for (const auto& [name, value] : fields.object().items()) check_field(name, value, endpoint);
  return fields;
}

}  // namespace carryover
