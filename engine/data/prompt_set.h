// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/run/hits.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// A line of a prompt set: a text that is run like any other, and what is asked of it.
struct PromptExample {
  std::int64_t line = 0;          ///< of the file, from 1
  std::string name;               ///< its line, where the file names none
  std::string text;               ///< never empty
  std::string answer;             ///< what should follow the text, and is run behind it; may be empty
  std::string target;             ///< part of the text that the answer has to be found in; may be empty
  std::vector<std::string> tags;  ///< ascending, each once
};

/// Reads a .jsonl of objects with "text" and, where wanted, "name", "answer", "target" and "tags"; empty lines are
/// passed over. Without a target, it is the answer, without blanks around it, where the text has that. Throws
/// EngineError{Io, BadInput} naming file and line: an unknown or wrong field, a target that is not in its text, a name
/// twice, no example, more than 100 000.
std::vector<PromptExample> read_prompt_set(const std::string& path);

/// An example as it is run.
struct PromptTokens {
  std::vector<std::int32_t> ids;    ///< of text and answer
  TokenRange answer;                ///< in `ids`; empty without one
  std::vector<TokenRange> targets;  ///< each place where the target stands in the text
};

/// A token that lies in two parts is of both. Throws as Tokenizer::encode().
PromptTokens prompt_tokens(const PromptExample& example, const Tokenizer& tokenizer, bool parse_special = false);

}  // namespace carryover
