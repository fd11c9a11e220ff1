// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/tasks/base/task.h"

namespace carryover {

/// A function that puts a chat template's text around a user's message, up to where the answer begins.
using ChatText = std::function<std::string(const std::string& said)>;

/// The text that a model answers to. Pure.
struct PromptText {
  std::string text;
  std::size_t question = 0;  ///< byte at which the question begins; 0: the text is all question, or its place is not
                             ///< known
};
/// Returns the text of a sample's prompt, with the answer's beginning at its end. `chat`: null for the bare prompt.
PromptText prompt_text(const TaskSample& sample, const ChatText& chat);

/// The rules by which texts become ids.
struct Encoding {
  const Tokenizer& tokenizer;
  bool parse_special = false;  ///< of chat templates
  bool bos = false;            ///< put BOS first, where the text does not spell it
};

struct PromptIds {
  std::vector<std::int32_t> ids;
  std::int64_t question = 0;  ///< number of last tokens that hold the question, or a part of it
};
/// Throws EngineError{BadInput} on text that the tokenizer can't encode, and where `bos` is set and the tokenizer has
/// none.
PromptIds prompt_ids(const PromptText& prompt, const Encoding& encoding);

/// A choice behind a prompt as lm-evaluation-harness encodes it: blanks at the prompt's end belong to the choice, both
/// are encoded as one text, and the choice's ids are those behind the ids that the prompt has alone. An empty prompt
/// becomes BOS, or EOS where there is no BOS. choice_ids() throws as prompt_ids(), and where a choice has no ids.
struct ChoiceIds {
  std::vector<std::int32_t> prompt, choice;
};
ChoiceIds choice_ids(const std::string& prompt, const std::string& choice, const Encoding& encoding);

/// Returns a hash of a tokenizer's vocabulary and of its ids for a test text: 16 hex digits.
std::string tokenizer_hash(const Tokenizer& tokenizer);

}  // namespace carryover
