// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/ruler/ruler_form.h"

#include <algorithm>
#include <cmath>

namespace carryover {

namespace {

constexpr RulerForm kNiahForm{
    128,
    "Some special magic {type_needle_v} are hidden within the following text. Make sure to memorize it. I will quiz "
    "you "
    "about the {type_needle_v} afterwards.\n{context}\nWhat are all the special magic {type_needle_v} for {query} "
    "mentioned in the provided text?",
    " The special magic {type_needle_v} for {query} mentioned in the provided text are", "\nWhat "};

constexpr RulerForm kVariablesForm{
    30,
    "Memorize and track the chain(s) of variable assignment hidden in the following text.\n\n{context}\nQuestion: Find "
    "all variables that are assigned the value {query} in the text above.",
    " Answer: According to the chain(s) of variable assignment in the text above, {num_v} variables are assigned the "
    "value {query}, they are: ",
    "\nQuestion: "};

constexpr RulerForm kCommonWordsForm{
    120,
    "Below is a numbered list of words. In these words, some appear more often than others. Memorize the ones that "
    "appear most often.\n{context}\nQuestion: What are the 10 most common words in the above list?",
    " Answer: The top 10 words that appear most often in the list are:", "\nQuestion: "};

constexpr RulerForm kFrequentWordsForm{
    50,
    "Read the following coded text and track the frequency of each coded word. Find the three most frequently appeared "
    "coded words. {context}\nQuestion: Do not provide any explanation. Please ignore the dots '....'. What are the "
    "three "
    "most frequently appeared words in the above coded text?",
    " Answer: According to the coded text above, the three most frequently appeared words are:", "\nQuestion: "};

constexpr RulerForm kDocumentsForm{
    32,
    "Answer the question based on the given documents. Only give me the answer and do not output any other words.\n\n"
    "The following are given documents.\n\n{context}\n\nAnswer the question based on the given documents. Only give me "
    "the answer and do not output any other words.\n\nQuestion: {query}",
    " Answer:", "\n\nAnswer the question based on "};

}  // namespace

const RulerForm& niah_form() {
  return kNiahForm;
}
const RulerForm& vt_form() {
  return kVariablesForm;
}
const RulerForm& cwe_form() {
  return kCommonWordsForm;
}
const RulerForm& fwe_form() {
  return kFrequentWordsForm;
}
const RulerForm& qa_form() {
  return kDocumentsForm;
}

void set_prompt(TaskSample& sample, const RulerForm& form, std::string_view input, std::string_view answer_prefix) {
  const std::size_t question = input.rfind(form.question_start);
  const std::size_t at = question == std::string_view::npos ? 0 : question;
  sample.context = input.substr(0, at);
  sample.question = input.substr(at);
  sample.answer_start = answer_prefix;
}

std::string depth_slice(const nlohmann::json& line, std::int64_t answer_tokens) {
  const auto number = [&](const char* key) {
    const auto found = line.find(key);
    return found != line.end() && found->is_number_integer() ? found->get<double>() : -1;
  };
  const double place = number("token_position_answer"), tokens = number("length") - static_cast<double>(answer_tokens);
  if (place < 0 || tokens < 1 || place > tokens) return {};
  return "depth " + std::to_string(10 * std::lround(10 * place / tokens)) + "%";
}

TaskSample ruler_sample(const RulerForm& form, std::int64_t index, const RulerPrompt& prompt, std::int64_t length) {
  const std::string_view text = prompt.text;
  const std::size_t answer = text.rfind(form.answer_prefix.substr(0, 10));
  TaskSample sample;
  sample.id = std::to_string(index);
  sample.references = prompt.outputs;
  sample.needles = prompt.needles;
  sample.fields = {{"index", index},   {"input", text.substr(0, answer)}, {"outputs", prompt.outputs},
                   {"length", length}, {"length_w_model_temp", length},   {"answer_prefix", text.substr(answer)}};
  set_prompt(sample, form, text.substr(0, answer), text.substr(answer));
  return sample;
}

}  // namespace carryover
