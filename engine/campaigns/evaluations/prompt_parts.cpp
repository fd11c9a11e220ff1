// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/evaluations/prompt_parts.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/base/error.h"
#include "engine/formats/fingerprint.h"
#include "engine/tokenizers/token_checks.h"

namespace carryover {

namespace {

/// The characters that Python's str.rstrip() removes, in UTF-8.
constexpr std::array<std::string_view, 29> kBlanks{" ",
                                                   "\t",
                                                   "\n",
                                                   "\v",
                                                   "\f",
                                                   "\r",
                                                   "\x1c",
                                                   "\x1d",
                                                   "\x1e",
                                                   "\x1f",
                                                   "\xc2\x85",
                                                   "\xc2\xa0",
                                                   "\xe1\x9a\x80",
                                                   "\xe2\x80\x80",
                                                   "\xe2\x80\x81",
                                                   "\xe2\x80\x82",
                                                   "\xe2\x80\x83",
                                                   "\xe2\x80\x84",
                                                   "\xe2\x80\x85",
                                                   "\xe2\x80\x86",
                                                   "\xe2\x80\x87",
                                                   "\xe2\x80\x88",
                                                   "\xe2\x80\x89",
                                                   "\xe2\x80\x8a",
                                                   "\xe2\x80\xa8",
                                                   "\xe2\x80\xa9",
                                                   "\xe2\x80\xaf",
                                                   "\xe2\x81\x9f",
                                                   "\xe3\x80\x80"};

std::size_t size_without_blanks_at_end(std::string_view text) {
  const auto blank_at_end = [&] {
    return std::ranges::find_if(kBlanks, [&](std::string_view blank) { return text.ends_with(blank); });
  };
  for (const auto* blank = blank_at_end(); blank != kBlanks.end(); blank = blank_at_end())
    text.remove_suffix(blank->size());
  return text.size();
}

std::string_view without_blanks(std::string_view text) {
  text = text.substr(0, size_without_blanks_at_end(text));
  return text.substr(std::min(text.find_first_not_of(" \t\n\v\f\r"), text.size()));
}

std::vector<std::int32_t> encode(const std::string& text, const Encoding& encoding) {
  std::vector<std::int32_t> ids = encoding.tokenizer.encode(text, encoding.parse_special);
  if (encoding.bos) put_bos_first(ids, encoding.tokenizer, "the model");
  return ids;
}

/// Templates drop blanks around what is said, and may say it in another place than at their beginning.
std::size_t question_in(const std::string& text, const TaskSample& sample) {
  if (const std::string_view question = without_blanks(sample.question); !question.empty())
    if (const std::size_t at = text.rfind(question); at != std::string::npos) return at;
  const std::string_view context = without_blanks(sample.context);
  const std::size_t at = text.find(context);
  return at == std::string::npos ? 0 : at + context.size();
}

}  // namespace

PromptText prompt_text(const TaskSample& sample, const ChatText& chat) {
  const std::string said = sample.context + sample.question;
  PromptText prompt{said, sample.context.size()};
  if (chat) {
    prompt.text = chat(said);
    prompt.question = sample.context.empty() ? 0 : question_in(prompt.text, sample);
  }
  prompt.text += sample.answer_start;
  return prompt;
}

PromptIds prompt_ids(const PromptText& prompt, const Encoding& encoding) {
  PromptIds result{encode(prompt.text, encoding), 0};
  if (prompt.question == 0) return result;
  const std::vector<std::int32_t> before = encode(prompt.text.substr(0, prompt.question), encoding);
  // Tokens may lie across its beginning: it begins with the first one that differs.
  const auto first = std::ranges::mismatch(before, result.ids).in2;
  result.question = result.ids.end() - first;
  return result;
}

ChoiceIds choice_ids(const std::string& prompt, const std::string& choice, const Encoding& encoding) {
  const std::size_t size = size_without_blanks_at_end(prompt);
  const std::string context = prompt.substr(0, size);
  ChoiceIds result;
  if (!context.empty()) result.prompt = encode(context, encoding);
  std::vector<std::int32_t> whole = encode(prompt + choice, encoding);
  if (result.prompt.empty()) {
    const auto first = encoding.tokenizer.bos() ? encoding.tokenizer.bos() : encoding.tokenizer.eos();
    if (!first)
      throw EngineError(Fault::BadInput, "the model", "has neither BOS nor EOS to stand before a choice",
                        "Give the samples a prompt.");
    if (whole.empty() || whole.front() != *first) whole.insert(whole.begin(), *first);
    result.prompt = {*first};
  }
  const std::size_t begin = std::min(result.prompt.size(), whole.size());
  result.choice.assign(whole.begin() + static_cast<std::ptrdiff_t>(begin), whole.end());
  if (result.choice.empty())
    throw EngineError(Fault::BadInput, "a choice", "adds no token to its prompt", "Give it a text.");
  return result;
}

std::string tokenizer_hash(const Tokenizer& tokenizer) {
  Fingerprint fingerprint;
  for (std::int64_t id = 0; id < tokenizer.vocabulary(); ++id) {
    const std::string bytes = tokenizer.bytes(static_cast<std::int32_t>(id));
    fingerprint.add(std::to_string(bytes.size()) + ":");
    fingerprint.add(bytes);
  }
  try {  // two that merge or split differently may have one vocabulary
    for (const std::int32_t id : tokenizer.encode("The 4,096 tokens aren't  split\n\n\talike — naïve, 你好, x==y."))
      fingerprint.add(std::to_string(id) + ",");
  } catch (const EngineError&) {
    fingerprint.add("no probe");  // a vocabulary without bytes for it
  }
  return fingerprint.hex();
}

}  // namespace carryover
