// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace carryover {

// Scores of an answer against one reference, from 0 to 1, equal to those of the programs that define them, to the last
// bit: metrics.py of LongBench (THUDM/LongBench 2e00731) with rouge 1.0.1 and fuzzywuzzy 0.18 over difflib, and
// exact_match of lm-evaluation-harness 0.4.13. Texts are UTF-8; invalid bytes count as U+FFFD. Pure; any thread.

/// Lower case, without ASCII punctuation and the words a, an and the, and one blank between words (SQuAD).
std::string normalized_answer(std::string_view text);

/// F1 of the words of both normalized texts, each counted as often as it occurs. For texts whose words blanks divide.
double qa_f1_score(std::string_view answer, std::string_view reference);

/// ROUGE-L's F over sentences, which end at each ".", as the package `rouge` has it: of unique words, those that are in
/// the longest common subsequence of any two sentences, with 1e-8 in F's denominator; 0 where either has no sentence.
/// The package fails where two sentences have more words than Python's recursion limit, and LongBench gives a 0 then.
/// Time and memory: the product of two sentences' words.
double rouge_l_score(std::string_view answer, std::string_view reference);

/// 1/n where the reference is among the n names of classes that the answer holds. Names that the reference holds are
/// left out first, but for one behind another such name (metrics.py takes from the list that it goes through).
double classification_score(std::string_view answer, std::string_view reference,
                            const std::vector<std::string>& classes);

/// The number behind the first `label` that has one. Empty: the text has none.
std::u32string labelled_number(std::string_view text, std::string_view label);

/// The share of the answer's numbers, runs of digits, that are the reference's: its labelled_number() ("Paragraph 7").
/// 0 where either has none.
double retrieval_score(std::string_view answer, std::string_view reference, std::string_view label = "Paragraph ");

/// Returns the same share for a reference that is a number alone.
double count_score(std::string_view answer, std::string_view reference);

/// fuzz.ratio of the reference and the answer's first line that has no "`", "#" or "//", which is in whole hundredths.
double code_similarity_score(std::string_view answer, std::string_view reference);

struct ExactMatch {
  bool ignore_case = false, ignore_punctuation = false, ignore_numbers = false;  ///< the latter two of ASCII
};
/// 1 for equal texts, else 0.
double exact_match_score(std::string_view answer, std::string_view reference, const ExactMatch& rule = {});

/// The best over references of score(reference); 0 without one.
template <typename Score>
double best_score(const std::vector<std::string>& references, Score score) {
  double best = 0;
  for (const std::string& reference : references) best = std::max(best, score(reference));
  return best;
}

/// The first line of an answer that isn't empty, which some tasks take alone.
std::string first_line(std::string_view answer);

}  // namespace carryover
