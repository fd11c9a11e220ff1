// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdint>
#include <map>
#include <set>

#include "engine/tasks/base/code_points.h"
#include "engine/tasks/scores/answer_scores.h"

namespace carryover {

namespace {

using RougeSentence = std::vector<std::u32string_view>;

/// Splits a text at full stops into sentences. One that is only blanks counts as one empty word, as " ".split(" ") of
/// Python gives it.
std::vector<RougeSentence> sentences_of(std::u32string_view text) {
  std::vector<RougeSentence> sentences;
  for (const auto& part : python_split(text, U'.')) {
    if (part.empty()) continue;
    sentences.push_back(python_words(part));
    if (sentences.back().empty()) sentences.back().emplace_back();
  }
  return sentences;
}

/// Numbers the words, because they are compared far more often than read.
class WordNumbers {
 public:
  std::vector<std::uint32_t> numbers(const RougeSentence& sentence) {
    std::vector<std::uint32_t> numbers;
    numbers.reserve(sentence.size());
    for (const auto& word : sentence)
      numbers.push_back(numbers_.emplace(word, static_cast<std::uint32_t>(numbers_.size())).first->second);
    return numbers;
  }

 private:
  std::map<std::u32string_view, std::uint32_t> numbers_;
};

using NumberedWords = std::vector<std::uint32_t>;

/// Adds the words of the longest common subsequence; of several, the one that rouge finds from the end.
void add_common_words(const NumberedWords& wanted, const NumberedWords& answered, std::set<std::uint32_t>& common) {
  enum class Step : std::uint8_t { Both, Wanted, Answered };
  const std::size_t columns = answered.size();
  std::vector<Step> steps(wanted.size() * columns);
  std::vector<std::uint32_t> above(columns + 1), row(columns + 1);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      const bool same = wanted[i] == answered[j];
      const bool up = above[j + 1] > row[j];
      row[j + 1] = same ? above[j] + 1 : up ? above[j + 1] : row[j];
      steps[i * columns + j] = same ? Step::Both : up ? Step::Wanted : Step::Answered;
    }
    above.swap(row);
  }
  for (std::size_t i = wanted.size(), j = columns; i > 0 && j > 0;) {
    const Step step = steps[(i - 1) * columns + j - 1];
    if (step == Step::Both) common.insert(wanted[i - 1]);
    if (step != Step::Answered) --i;
    if (step != Step::Wanted) --j;
  }
}

std::vector<NumberedWords> numbered(const std::vector<RougeSentence>& sentences, WordNumbers& vocabulary) {
  std::vector<NumberedWords> all;
  all.reserve(sentences.size());
  for (const RougeSentence& sentence : sentences) all.push_back(vocabulary.numbers(sentence));
  return all;
}

double unique_words(const std::vector<NumberedWords>& sentences) {
  std::set<std::uint32_t> unique;
  for (const NumberedWords& sentence : sentences) unique.insert(sentence.begin(), sentence.end());
  return static_cast<double>(unique.size());
}

}  // namespace

double rouge_l_score(std::string_view answer, std::string_view reference) {
  constexpr double kEpsilon = 1e-8;
  const std::u32string answer_text = code_points(answer), reference_text = code_points(reference);
  WordNumbers vocabulary;
  const auto answered = numbered(sentences_of(answer_text), vocabulary);
  const auto wanted = numbered(sentences_of(reference_text), vocabulary);
  if (answered.empty() || wanted.empty()) return 0;
  std::set<std::uint32_t> common;
  for (const NumberedWords& sentence : wanted)
    for (const NumberedWords& other : answered) add_common_words(sentence, other, common);
  const auto size = static_cast<double>(common.size());
  const double recall = size / unique_words(wanted), precision = size / unique_words(answered);
  return 2.0 * (precision * recall / (precision + recall + kEpsilon));
}

}  // namespace carryover
