// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tasks/base/task.h"

namespace carryover {

/// The texts of one of RULER's scripts, under its template "base".
struct RulerForm {
  std::int64_t answer_tokens;       ///< number of tokens that a model may write
  std::string_view prompt;          ///< with places for {context} and the other parts that the script fills in
  std::string_view answer_prefix;   ///< beginning of the answer
  std::string_view question_start;  ///< the question begins at the last place of this text in a prompt
};

const RulerForm& niah_form();
const RulerForm& vt_form();
const RulerForm& cwe_form();
const RulerForm& fwe_form();
const RulerForm& qa_form();

/// The text in which needles and variables are hidden, for tasks that use noise.
inline constexpr std::string_view kRulerNoise =
    "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again.";

struct RulerPrompt {
  std::string text;  ///< the whole prompt, with the beginning of the answer
  std::vector<std::string> outputs;
  std::vector<std::string> needles;
};

/// Returns the sample of a prompt with its official line. `length`: tokens of prompt and answer.
TaskSample ruler_sample(const RulerForm& form, std::int64_t index, const RulerPrompt& prompt, std::int64_t length);

/// Splits `input`, the text before the answer, into context and question; a prompt without RULER's question is all
/// question.
void set_prompt(TaskSample& sample, const RulerForm& form, std::string_view input, std::string_view answer_prefix);

/// Returns a slice such as "depth 50%" for the place of the first answer in an official line; empty where the line does
/// not say it.
std::string depth_slice(const nlohmann::json& line, std::int64_t answer_tokens);

}  // namespace carryover
