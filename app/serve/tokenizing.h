// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "app/serve/served_model.h"

namespace carryover {

// The tokenizer, for clients that count tokens without one of their own. Any thread. The two that read a body throw
// ApiError{400} and EngineError{BadInput}.

/// GET /tokenizer_info: what the special tokens look like, and the chat template.
nlohmann::json tokenizer_info(const ServedModel& served);
/// POST /tokenize: {"prompt", "add_special_tokens"} → {"tokens", "count"}. The prompt's BOS is the only one to add.
nlohmann::json tokenize(std::string_view body, const ServedModel& served);
/// POST /detokenize: {"tokens"} → {"prompt"}.
nlohmann::json detokenize(std::string_view body, const ServedModel& served);

}  // namespace carryover
