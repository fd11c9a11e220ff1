// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/runs/values/hits.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// A line of a prompt set: a text that is run like any other, and what is asked about it.
struct PromptExample {
  std::int64_t line = 0;          ///< line of the file, from 1
  std::string name;               ///< the line number if the file gives no name
  std::string text;               ///< never empty
  std::string answer;             ///< text that should follow, and is run after it; may be empty
  std::string target;             ///< part of the text in which the answer has to be found; may be empty
  std::vector<std::string> tags;  ///< ascending, each once
};

/// Reads a .jsonl of objects with "text" and optionally "name", "answer", "target" and "tags"; empty lines are skipped.
/// Without a "target", the target is the answer, without blanks around it, if the text contains it. Throws
/// EngineError{Io, BadInput}, which names file and line, for an unknown or wrong field, a target that is not in its
/// text, a repeated name, no example, or more than 100 000.
std::vector<PromptExample> read_prompt_set(const std::string& path);

/// The tokens of an example.
struct PromptTokens {
  std::vector<std::int32_t> ids;    ///< ids of text and answer
  TokenRange answer;                ///< range in `ids`; empty without an answer
  std::vector<TokenRange> targets;  ///< each place in the text at which the target is
};

/// Tokenises an example. A token that overlaps two parts belongs to both. Throws as Tokenizer::encode() does.
PromptTokens prompt_tokens(const PromptExample& example, const Tokenizer& tokenizer, bool parse_special = false);

}  // namespace carryover
