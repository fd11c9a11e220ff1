// SPDX-License-Identifier: GPL-3.0-or-later
// Scores of answers: values that the Python originals gave, and what holds for any texts. tests/compat/scorers.py
// compares thousands of cases with the originals themselves.
#include "engine/tasks/scores/answer_scores.h"

#include <QTest>
#include <random>

#include "engine/tasks/base/code_points.h"
#include "engine/tasks/scores/sequence_matcher.h"
#include "tests/support/test_program.h"

using namespace carryover;

namespace {

struct Recorded {
  std::string scorer, answer, reference;
  double score;
};

// Scores of metrics.py of LongBench under Python 3.11.
const std::vector<Recorded> kRecorded{
    {"qa_f1_score", "", "", 0.0},
    {"qa_f1_score", "The Cat!", "cat", 1.0},
    {"qa_f1_score", "a cat and a dog", "the cat", 0.5},
    {"qa_f1_score", "cat cat dog", "cat dog dog", 0.6666666666666666},
    {"qa_f1_score", "ΟΔΟΣ ΣΑΣ", "οδος σας", 1.0},
    {"qa_f1_score", "İstanbul", "i\u0307stanbul", 1.0},
    {"qa_f1_score", "don't", "dont", 1.0},
    {"qa_f1_score", "a_the b", "athe b", 1.0},
    {"qa_f1_score", "x\u00a0y\u3000z", "x y z w", 0.8571428571428571},
    {"qa_f1_score", "a\u0301 an’s", "’s", 0.6666666666666666},
    {"qa_f1_score", "Größe GRÖSSE", "größe", 0.6666666666666666},
    {"qa_f1_score", "the an a", "a", 0.0},
    {"qa_f1_score", "one two three", "three", 0.5},
    {"rouge_score", "", "", 0.0},
    {"rouge_score", "...", "cat", 0.0},
    {"rouge_score", "the cat sat. on the mat.", "the cat sat on the mat.", 0.999999995},
    {"rouge_score", "the cat the cat", "cat the cat", 0.999999995},
    {"rouge_score", "a b c d", "a c b d", 0.749999995},
    {"rouge_score", "x y x y x", "y x y. x x. y", 0.999999995},
    {"rouge_score", " . a b", "a . b", 0.7999999952000001},
    {"rouge_score", "The cat", "the cat", 0.4999999950000001},
    {"rouge_score", "a b. c d. e f", "f e. d c. b a", 0.4999999950000001},
    {"rouge_score", "eins zwei\u2028drei", "zwei drei", 0.7999999952000001},
    {"classification_score", "Location city", "Location city", 1.0},
    {"classification_score", "City", "Location city", 0.0},
    {"classification_score", "Location", "Location", 0.5},
    {"classification_score", "City of x and Number", "City of x", 0.5},
    {"classification_score", "City of x, Location city", "City of x", 0.25},
    {"classification_score", "none", "City", 0.0},
    {"classification_score", "Number Location", "Number", 0.3333333333333333},
    {"retrieval_score", "Paragraph 7", "Paragraph 7", 1.0},
    {"retrieval_score", "7 or 8", "Paragraph 7", 0.5},
    {"retrieval_score", "07", "Paragraph 7", 0.0},
    {"retrieval_score", "none", "Paragraph 7", 0.0},
    {"retrieval_score", "٣ 3", "Paragraph ٣", 0.5},
    {"retrieval_score", "12 2 2", "Paragraph x Paragraph 2", 0.6666666666666666},
    {"count_score", "3 or 4", "3", 0.5},
    {"count_score", "", "3", 0.0},
    {"count_score", "3²", "3", 1.0},
    {"count_score", "3.3", "3", 1.0},
    {"count_score", "４ 4", "４", 0.5},
    {"code_sim_score", "", "", 1.0},
    {"code_sim_score", "", "x", 0.0},
    {"code_sim_score", "\n\nreturn x", "return x", 1.0},
    {"code_sim_score", "# a\nreturn y\nz", "return x", 0.88},
    {"code_sim_score", "`x`\n// y", "", 1.0},
    {"code_sim_score", "abcde", "badce", 0.6},
    {"code_sim_score", "qabxcd", "abycdf", 0.67},
    {"code_sim_score", "données = 1", "donnees = 1", 0.91},
    {"code_sim_score", "aab", "aba", 0.67},
    {"code_sim_score", "xxxxxxxx", "xxxxxxxxyyyyyyyyyyy", 0.59},
};

const std::vector<std::string> kClasses{"Location", "City", "Location city", "Number", "Location", "City of x"};

double score_of(const Recorded& row) {
  if (row.scorer == "qa_f1_score") return qa_f1_score(row.answer, row.reference);
  if (row.scorer == "rouge_score") return rouge_l_score(row.answer, row.reference);
  if (row.scorer == "classification_score") return classification_score(row.answer, row.reference, kClasses);
  if (row.scorer == "retrieval_score") return retrieval_score(row.answer, row.reference);
  if (row.scorer == "count_score") return count_score(row.answer, row.reference);
  if (row.scorer == "code_sim_score") return code_similarity_score(row.answer, row.reference);
  return -1;
}

/// The words of a random order of a random choice of some words.
std::vector<std::string> some_words(std::mt19937_64& random) {
  std::vector<std::string> words{"tide", "Größe", "東京", "b", "cat", "42", "οδος", "é"};
  for (std::size_t i = words.size(); i > 1; --i) std::swap(words[i - 1], words[random() % i]);
  words.resize(1 + random() % words.size());
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// Returns the length of the longest common subsequence by definition, without a table.
std::size_t common_subsequence(const std::vector<std::string>& a, std::size_t i, const std::vector<std::string>& b,
                               std::size_t j) {
  if (i == a.size() || j == b.size()) return 0;
  if (a[i] == b[j]) return 1 + common_subsequence(a, i + 1, b, j + 1);
  return std::max(common_subsequence(a, i + 1, b, j), common_subsequence(a, i, b, j + 1));
}

/// Characters in matching blocks by their definition: every pair of places is tried.
std::size_t plain_matches(std::u32string_view a, std::u32string_view b) {
  std::size_t first = 0, second = 0, best = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) {
      std::size_t size = 0;
      while (i + size < a.size() && j + size < b.size() && a[i + size] == b[j + size]) ++size;
      if (size > best) {
        first = i;
        second = j;
        best = size;
      }
    }
  if (best == 0) return 0;
  return best + plain_matches(a.substr(0, first), b.substr(0, second)) +
         plain_matches(a.substr(first + best), b.substr(second + best));
}

std::u32string letters(std::mt19937_64& random, std::size_t most) {
  std::u32string text(random() % (most + 1), U'a');
  for (char32_t& c : text) c = U"abcé東"[random() % 5];
  return text;
}

}  // namespace

class AnswerScoresTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equals_what_python_gave() {
    QCOMPARE(kRecorded.size(), std::size_t{51});
    for (const Recorded& row : kRecorded)
      QVERIFY2(score_of(row) == row.score,  // to the last bit
               (row.scorer + ": " + row.answer + " | " + row.reference + ": " + std::to_string(score_of(row))).c_str());
  }

  void normalizes() {
    QCOMPARE(normalized_answer("  The  U.S.\u00a0and a_the, AN\nEnd "), std::string("us and athe end"));
    QCOMPARE(normalized_answer("ΑΣ ΑΣΑ Σ Α'Σ. x\u0301Σ"), std::string("ας ασα σ ας x\u0301ς"));
    QCOMPARE(normalized_answer("İX ẞ ǅ Ⅷ"), std::string("i\u0307x ß ǆ ⅷ"));
    QCOMPARE(normalized_answer("\xff\xe6\x9d"), std::string("\ufffd\ufffd"));
    QCOMPARE(normalized_answer(""), std::string());
  }

  // With distinct words, F follows from the length of the longest common subsequence.
  void rouge_is_f_of_the_longest_common_subsequence() {
    std::mt19937_64 random(1);
    for (int i = 0; i < 400; ++i) {
      const auto answer = some_words(random), reference = some_words(random);
      const auto common = static_cast<double>(common_subsequence(reference, 0, answer, 0));
      const double recall = common / static_cast<double>(reference.size());
      const double precision = common / static_cast<double>(answer.size());
      QCOMPARE(rouge_l_score(joined(answer), joined(reference)),
               2 * (precision * recall / (precision + recall + 1e-8)));
      QCOMPARE(rouge_l_score(joined(answer), joined(answer)), 2 * (1 / (2 + 1e-8)));
    }
  }

  void f1_counts_words_in_any_order() {
    std::mt19937_64 random(2);
    for (int i = 0; i < 400; ++i) {
      auto answer = some_words(random);
      const auto reference = some_words(random);
      const double score = qa_f1_score(joined(answer), joined(reference));
      std::size_t common = 0;
      for (const std::string& word : answer)
        common += std::find(reference.begin(), reference.end(), word) != reference.end() ? 1U : 0U;
      const auto all = static_cast<double>(answer.size() + reference.size());
      QVERIFY(std::abs(score - 2 * static_cast<double>(common) / all) < 1e-15);
      std::reverse(answer.begin(), answer.end());
      QCOMPARE(qa_f1_score("The " + joined(answer) + "!", joined(reference)), score);
      QCOMPARE(qa_f1_score(joined(reference), joined(answer)), score);
    }
  }

  void blocks_are_those_of_their_definition() {
    std::mt19937_64 random(3);
    for (int i = 0; i < 1000; ++i) {
      const std::u32string a = letters(random, 24), b = letters(random, 24);
      const std::size_t all = a.size() + b.size();
      const double ratio = all == 0 ? 1 : 2 * static_cast<double>(plain_matches(a, b)) / static_cast<double>(all);
      QCOMPARE(sequence_ratio(a, b), ratio);
    }
  }

  // From 200 characters on, none of `b` that is more than a hundredth of it begins a block.
  void frequent_characters_begin_no_block() {
    const auto pair = [](std::size_t size) {
      std::u32string b;
      for (std::size_t i = 0; i < size; ++i) b += i * i / 3 % 2 == 0 ? U'a' : U'b';
      return sequence_ratio(b.substr(1) + U"b", b);
    };
    QVERIFY(pair(199) == 0.9949748743718593 && pair(200) == 0.005 && pair(201) == 0.004975124378109453);
    const std::u32string as(199, U'a');
    QCOMPARE(sequence_ratio(as + U"x", as + U"x"), 1.0);  // but grows one
    QVERIFY(sequence_ratio(as + U"x", as + U"y") == 0.995 && sequence_ratio(U"x" + as, U"y" + as) == 0);
  }

  void exact_matches() {
    QVERIFY(exact_match_score("Cat", "Cat") == 1 && exact_match_score("Cat", "cat") == 0);
    QVERIFY(exact_match_score("", "") == 1 && exact_match_score("a ", "a") == 0);
    QVERIFY(exact_match_score("Größe 7!", "GRÖßE ", {true, true, true}) == 1);
    QVERIFY(exact_match_score("x7", "x", {true, true, false}) == 0 &&
            exact_match_score("x!", "x", {true, false, true}) == 0);
    QVERIFY(exact_match_score("X", "x", {false, true, true}) == 0 &&
            exact_match_score("３", "", {true, true, true}) == 0);
  }

  void takes_the_best_reference() {
    const std::vector<std::string> references{"dog", "black cat", "cat"};
    const auto f1 = [](const std::string& reference) { return qa_f1_score("cat", reference); };
    QCOMPARE(best_score(references, f1), 1.0);
    QCOMPARE(best_score({"dog", "black cat"}, f1), f1("black cat"));
    QCOMPARE(best_score({}, f1), 0.0);
  }

  void takes_the_first_line() {
    QCOMPARE(first_line("\n\nOne\nTwo"), std::string("One"));
    QCOMPARE(first_line(" \nTwo"), std::string(" "));
    QCOMPARE(first_line("\n\n"), std::string());
    QCOMPARE(first_line(""), std::string());
  }

  void takes_any_bytes() {
    std::mt19937_64 random(4);
    double sum = 0;
    for (int i = 0; i < 500; ++i) {
      std::string answer(random() % 40, ' '), reference(random() % 40, ' ');
      for (char& c : answer) c = static_cast<char>(random() % 256);
      for (char& c : reference) c = static_cast<char>(random() % 256);
      for (const char* const scorer :
           {"qa_f1_score", "rouge_score", "classification_score", "retrieval_score", "count_score", "code_sim_score"}) {
        const double score = score_of({scorer, answer, reference, 0});
        QVERIFY(score >= 0 && score <= 1);
        sum += score;
      }
      QCOMPARE(utf8_text(code_points(utf8_text(code_points(answer)))), utf8_text(code_points(answer)));
    }
    QVERIFY(sum > 0);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<AnswerScoresTest>};
#include "answer_scores_test.moc"
