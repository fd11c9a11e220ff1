// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/scores/answer_scores.h"

#include <cmath>
#include <cstdint>
#include <map>

#include "engine/tasks/base/code_points.h"
#include "engine/tasks/scores/sequence_matcher.h"

namespace carryover {

namespace {

using Words = std::vector<std::u32string_view>;

std::u32string without_articles(std::u32string_view text) {
  std::u32string kept;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_python_word(text[end])) ++end;
    const std::u32string_view word = text.substr(at, end - at);
    kept += word == U"a" || word == U"an" || word == U"the" ? U" " : word;
    if (end < text.size()) kept += text[end++];
    at = end;
  }
  return kept;
}

std::u32string normalized(std::string_view text) {
  std::u32string lower = python_lower(code_points(text));
  std::erase_if(lower, is_ascii_punctuation);
  return without_articles(lower);
}

/// Returns how many words both texts share; a word counts as often as both have it.
std::size_t common_words(const Words& one, const Words& other) {
  std::map<std::u32string_view, std::size_t> left;
  for (const auto& word : other) ++left[word];
  std::size_t common = 0;
  for (const auto& word : one) {
    const auto found = left.find(word);
    if (found == left.end() || found->second == 0) continue;
    --found->second;
    ++common;
  }
  return common;
}

Words digit_runs(std::u32string_view text) {
  Words runs;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_python_decimal(text[end])) ++end;
    if (end > at) runs.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return runs;
}

double share_of_numbers(std::string_view answer, std::u32string_view right) {
  const std::u32string text = code_points(answer);
  const Words numbers = digit_runs(text);
  if (numbers.empty()) return 0;
  return static_cast<double>(std::count(numbers.begin(), numbers.end(), right)) / static_cast<double>(numbers.size());
}

std::u32string_view without_first_newlines(std::u32string_view text) {
  while (!text.empty() && text.front() == U'\n') text.remove_prefix(1);
  return text;
}

/// fuzzywuzzy's: a whole number up to 100.
double fuzz_ratio(std::u32string_view a, std::u32string_view b) {
  if (a == b) return 100;
  if (a.empty() || b.empty()) return 0;
  return std::nearbyint(100 * sequence_ratio(a, b));  // half to even, as Python's round()
}

std::u32string matched_text(std::string_view text, const ExactMatch& rule) {
  std::u32string kept = code_points(text);
  if (rule.ignore_case) kept = python_lower(kept);
  if (rule.ignore_punctuation) std::erase_if(kept, is_ascii_punctuation);
  if (rule.ignore_numbers) std::erase_if(kept, [](char32_t c) { return c >= U'0' && c <= U'9'; });
  return kept;
}

}  // namespace

std::string normalized_answer(std::string_view text) {
  const std::u32string left = normalized(text);
  std::string joined;
  for (const auto& word : python_words(left)) joined += (joined.empty() ? "" : " ") + utf8_text(word);
  return joined;
}

double qa_f1_score(std::string_view answer, std::string_view reference) {
  const std::u32string answer_text = normalized(answer), reference_text = normalized(reference);
  const Words answered = python_words(answer_text), wanted = python_words(reference_text);
  const std::size_t common = common_words(answered, wanted);
  if (common == 0) return 0;
  const double precision = static_cast<double>(common) / static_cast<double>(answered.size());
  const double recall = static_cast<double>(common) / static_cast<double>(wanted.size());
  return 2 * precision * recall / (precision + recall);
}

double classification_score(std::string_view answer, std::string_view reference,
                            const std::vector<std::string>& classes) {
  std::vector<std::string_view> named;
  for (const std::string& each : classes)
    if (answer.find(each) != std::string_view::npos) named.push_back(each);
  for (std::size_t i = 0; i < named.size(); ++i) {
    const std::string_view name = named[i];
    if (name != reference && reference.find(name) != std::string_view::npos)
      named.erase(std::find(named.begin(), named.end(), name));
  }
  const bool right = std::find(named.begin(), named.end(), reference) != named.end();
  return right ? 1.0 / static_cast<double>(named.size()) : 0;
}

std::u32string labelled_number(std::string_view text, std::string_view label) {
  const std::u32string whole = code_points(text), mark = code_points(label);
  for (std::size_t at = whole.find(mark); at != std::u32string::npos; at = whole.find(mark, at + 1)) {
    std::size_t end = at + mark.size();
    while (end < whole.size() && is_python_decimal(whole[end])) ++end;
    if (end > at + mark.size()) return whole.substr(at + mark.size(), end - at - mark.size());
  }
  return {};
}

double retrieval_score(std::string_view answer, std::string_view reference, std::string_view label) {
  return share_of_numbers(answer, labelled_number(reference, label));
}

double count_score(std::string_view answer, std::string_view reference) {
  return share_of_numbers(answer, code_points(reference));
}

double code_similarity_score(std::string_view answer, std::string_view reference) {
  const std::u32string text = code_points(answer);
  std::u32string_view chosen;
  for (const auto& line : python_split(without_first_newlines(text), U'\n')) {
    if (line.find(U'`') != line.npos || line.find(U'#') != line.npos || line.find(U"//") != line.npos) continue;
    chosen = line;
    break;
  }
  return fuzz_ratio(chosen, code_points(reference)) / 100;
}

double exact_match_score(std::string_view answer, std::string_view reference, const ExactMatch& rule) {
  return matched_text(answer, rule) == matched_text(reference, rule) ? 1 : 0;
}

std::string first_line(std::string_view answer) {
  while (answer.starts_with('\n')) answer.remove_prefix(1);
  return std::string(answer.substr(0, answer.find('\n')));
}

}  // namespace carryover
