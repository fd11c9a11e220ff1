// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/tasks/base/middle_truncation.h"

namespace carryover {

/// Fills a template of Python's str.format whose fields are texts of `values`: {context}, {input}; "{{" and "}}" stand
/// for braces. `context` is everything up to the end of the first {context}, `question` the rest. Throws
/// EngineError{BadInput} naming `where`: a lone brace, a field that `values` doesn't have as a text, no {context}.
PromptParts fill_prompt(std::string_view text, const nlohmann::json& values, const std::string& where);

}  // namespace carryover
