// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json.hpp>
#include <vector>

#include "app/serve/answer_parts.h"

namespace carryover {

/// The list "content" of the "logprobs" of a chat: [{token, logprob, bytes, top_logprobs}], one for each token but the
/// end of text, with at most `top` likeliest ones in its place. All bytes together are those of the message.
nlohmann::json chat_logprobs(const Tokenizer& tokenizer, const std::vector<AnswerToken>& tokens, int top);

}  // namespace carryover
