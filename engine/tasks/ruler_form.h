// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tasks/task.h"

namespace carryover {

/// The texts of one of RULER's scripts, under its template "base".
struct RulerForm {
  std::int64_t answer_tokens;       ///< that a model may write
  std::string_view prompt;          ///< with places for {context} and what else the script puts in
  std::string_view answer_prefix;   ///< how the answer begins
  std::string_view question_start;  ///< the last place of this in a prompt is where its question begins
};

const RulerForm& niah_form();
const RulerForm& vt_form();
const RulerForm& cwe_form();
const RulerForm& fwe_form();
const RulerForm& qa_form();

/// What needles and variables hide in, where that is noise.
inline constexpr std::string_view kRulerNoise =
    "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again.";

struct RulerPrompt {
  std::string text;  ///< all of it, the beginning of the answer included
  std::vector<std::string> outputs;
  std::vector<std::string> needles;
};

/// The sample of a prompt and its official line. `length`: tokens of prompt and answer.
TaskSample ruler_sample(const RulerForm& form, std::int64_t index, const RulerPrompt& prompt, std::int64_t length);

/// Parts `input`, what stands before the answer, into context and question; a prompt without RULER's question is all
/// question.
void set_prompt(TaskSample& sample, const RulerForm& form, std::string_view input, std::string_view answer_prefix);

/// "depth 50%": where an official line says that its first answer stands; empty where it does not.
std::string depth_slice(const nlohmann::json& line, std::int64_t answer_tokens);

}  // namespace carryover
