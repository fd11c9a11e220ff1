// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/tokenizing.h"

#include <nlohmann/json.hpp>

#include "app/serve/api_fields.h"
#include "engine/base/utf8.h"

namespace carryover {

nlohmann::json tokenizer_info(const ServedModel& served) {
  const auto spelled = [&](const std::optional<std::int32_t>& id) {
    return id ? nlohmann::json(served.tokenizer->bytes(*id)) : nlohmann::json();
  };
  return {{"bos_token", spelled(served.tokenizer->bos())},
          {"eos_token", spelled(served.tokenizer->eos())},
          {"vocab_size", served.tokenizer->vocabulary()},
          {"chat_template", served.chat_template.empty() ? nlohmann::json() : nlohmann::json(served.chat_template)}};
}

nlohmann::json tokenize(std::string_view body, const ServedModel& served) {
  const RequestFields fields = endpoint_fields(body, kTokenize);
  const auto prompt = fields.find_text("prompt");
  if (!prompt) RequestFields::refuse("prompt", "is missing");
  const std::vector<std::int32_t> ids =
      fields.flag("add_special_tokens", true) ? served.encode(*prompt) : served.encode_behind(*prompt);
  return {{"tokens", ids}, {"count", ids.size()}};
}

nlohmann::json detokenize(std::string_view body, const ServedModel& served) {
  const RequestFields fields = endpoint_fields(body, kDetokenize);
  const nlohmann::json* tokens = fields.find("tokens");
  if (tokens == nullptr) RequestFields::refuse("tokens", "is missing");
  std::string bytes = served.tokenizer->decode(ids_from(*tokens, "tokens", served.vocabulary));
  return {{"prompt", take_utf8(bytes, true)}};
}

}  // namespace carryover
