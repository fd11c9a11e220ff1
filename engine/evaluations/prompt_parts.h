// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/tasks/task.h"

namespace carryover {

/// A chat template's text around what a user says, up to where the answer begins.
using ChatText = std::function<std::string(const std::string& said)>;

/// The text that a model answers to. Pure.
struct PromptText {
  std::string text;
  std::size_t question = 0;  ///< byte where the question begins; 0: it is all question, or nothing says where
};
/// `chat`: null for the bare prompt. The answer's beginning stands behind all of it.
PromptText prompt_text(const TaskSample& sample, const ChatText& chat);

/// How texts become ids.
struct Encoding {
  const Tokenizer& tokenizer;
  bool parse_special = false;  ///< of chat templates
  bool bos = false;            ///< put first, where the text does not spell it
};

struct PromptIds {
  std::vector<std::int32_t> ids;
  std::int64_t question = 0;  ///< last tokens that are the question's, from the first one that it has a part of
};
/// Throws EngineError{BadInput} on text that the tokenizer can't encode, and where bos is wanted and there is none.
PromptIds prompt_ids(const PromptText& prompt, const Encoding& encoding);

/// A choice behind a prompt as lm-evaluation-harness encodes it: blanks at the prompt's end belong to the choice, both
/// are encoded as one text, and the choice has the ids behind those that the prompt has alone. Behind an empty prompt
/// stands BOS, else EOS. Throws likewise, and where a choice has no ids.
struct ChoiceIds {
  std::vector<std::int32_t> prompt, choice;
};
ChoiceIds choice_ids(const std::string& prompt, const std::string& choice, const Encoding& encoding);

/// Of what a tokenizer does: vocabulary and the ids of a probe. 16 hex digits.
std::string tokenizer_hash(const Tokenizer& tokenizer);

}  // namespace carryover
