// SPDX-License-Identifier: GPL-3.0-or-later
// Documents with needles: what was put into a book stands there, and its question and answer are its own words.
#include "engine/data/needles.h"

#include <QTest>
#include <algorithm>
#include <set>
#include <span>
#include <string>

#include "engine/base/error.h"
#include "tests/support/byte_tokenizer.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_program.h"

using namespace carryover;
using carryover::test::unlike;

namespace {

std::vector<std::int32_t> book(const Tokenizer& tokenizer) {
  std::string text;
  while (text.size() < 20000)
    text +=
        "it was a quiet evening by the sea. nobody spoke of what had been found in the old mill; "
        "the xylophone zigzagged, quizzical & jovial, from (1) to (9)! ";
  return tokenizer.encode(text);
}

NeedlePlan plan(NeedleWords words) {
  return {512, 8, 3, words == NeedleWords::Measure ? 4 : 0, words};
}

void check_document(const NeedlePlan& plan, const NeedleDocument& document, const Tokenizer& tokenizer) {
  QCOMPARE(std::ssize(document.ids), plan.segments * plan.segment_length);
  std::int64_t asked = 0, end = 0;
  for (const Needle& needle : document.needles) {
    QVERIFY(needle.position >= end && needle.position < (plan.segments - 1) * plan.segment_length + 200);
    end = needle.position + std::ssize(needle.statement);
    const auto begin = document.ids.begin() + needle.position;
    QVERIFY(std::equal(needle.statement.begin(), needle.statement.end(), begin));
    const auto value = document.ids.begin() + needle.value_position();
    QVERIFY(std::equal(needle.value.begin(), needle.value.end(), value));
    asked += needle.asked;
    if (needle.kind == "pair") continue;
    const std::string statement = tokenizer.decode(needle.statement), question = tokenizer.decode(needle.question);
    QVERIFY(question.starts_with("\n\n"));
    QVERIFY(statement.starts_with(" " + question.substr(2) + tokenizer.decode(needle.value)));
  }
  QCOMPARE(asked, 3 * plan.of_each_kind + (plan.rivals > 0 ? 1 : 0));
}

}  // namespace

class NeedlesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void what_is_asked_stands_in_the_document() {
    const test::PlainByteTokenizer tokenizer;
    for (const NeedleWords words : {NeedleWords::Measure, NeedleWords::Choose})
      for (const NeedleDocument& document :
           make_documents(plan(words), {book(tokenizer), book(tokenizer)}, tokenizer, 5, 3)) {
        check_document(plan(words), document, tokenizer);
        for (const char* kind : {"number", "word", "fact"})
          QCOMPARE(std::ranges::count(document.needles, kind, &Needle::kind), 3);
      }
  }

  void a_seed_gives_the_same_documents_and_another_one_others() {
    const test::PlainByteTokenizer tokenizer;
    const auto ids = [&](std::uint64_t seed) {
      return make_documents(plan(NeedleWords::Choose), {book(tokenizer)}, tokenizer, 2, seed)[1].ids;
    };
    QCOMPARE(ids(1), ids(1));
    QVERIFY(ids(1) != ids(2));
  }

  void heads_are_chosen_by_other_sentences_than_recall_is_measured_by() {
    const test::PlainByteTokenizer tokenizer;
    const auto questions = [&](NeedleWords words) {
      std::set<std::string> all;
      for (const NeedleDocument& document : make_documents(plan(words), {book(tokenizer)}, tokenizer, 20, 1))
        for (const Needle& needle : document.needles) {
          std::string text = tokenizer.decode(needle.question) + " " + tokenizer.decode(needle.value);
          for (std::string word; !text.empty();) {
            const std::size_t cut = text.find_first_of(" \n");
            word = text.substr(0, cut);
            text = cut == std::string::npos ? "" : text.substr(cut + 1);
            if (!word.empty() && (std::isupper(static_cast<unsigned char>(word[0])) || needle.kind == "word"))
              all.insert(word);
          }
        }
      return all;
    };
    std::set<std::string> both;
    std::ranges::set_intersection(questions(NeedleWords::Measure), questions(NeedleWords::Choose),
                                  std::inserter(both, both.begin()));
    for (const char* common : {"The", "for", "is"}) both.erase(common);
    QVERIFY2(both.empty(), both.empty() ? "" : both.begin()->c_str());
  }

  /// Values of its own book, sentences that vary, and every rival is asked for.
  void training_has_words_of_its_own() {
    const test::PlainByteTokenizer tokenizer;
    const NeedlePlan shape{512, 8, 2, 4, NeedleWords::Train};
    std::set<std::string> values, leads;
    for (const NeedleDocument& document : make_documents(shape, {book(tokenizer)}, tokenizer, 200, 1)) {
      QCOMPARE(document.needles.size(), std::size_t{10});
      for (const Needle& needle : document.needles) {
        QVERIFY(needle.asked);
        const std::string question = tokenizer.decode(needle.question);
        for (const char* measured : {"special magic", "secret word", "was born", "telephone"})
          QVERIFY2(question.find(measured) == std::string::npos, question.c_str());
        if (needle.kind == "word") values.insert(tokenizer.decode(needle.value));
        if (needle.kind == "fact") leads.insert(question.substr(question.find(' ', 2)));
      }
    }
    QVERIFY(values.contains(" xylophone") && values.contains(" evening") && !values.contains(" it"));
    QCOMPARE(leads.size(), std::size_t{3});
  }

  void a_tokenizer_without_the_words_gets_pairs() {
    const test::PlainByteTokenizer tokenizer(true);
    const NeedlePlan small{64, 8, 1, 0, NeedleWords::Choose};
    const NeedleDocument document = make_documents(small, {book(tokenizer)}, tokenizer, 1, 1).front();
    check_document(small, document, tokenizer);
    std::set<std::vector<std::int32_t>> keys;
    for (const Needle& needle : document.needles) {
      QCOMPARE(needle.kind, std::string("pair"));
      keys.insert(needle.question);
    }
    QCOMPARE(keys.size(), std::size_t{3});
  }

  void books_that_are_too_short_are_refused() {
    const test::PlainByteTokenizer tokenizer, small(true);
    const std::vector<std::int32_t> few(300, 'a'), same(5000, 'a');
    QCOMPARE(unlike(Fault::BadInput, "300 tokens",
                    [&] { make_documents(plan(NeedleWords::Choose), {few}, tokenizer, 1, 1); }),
             std::string());
    QCOMPARE(unlike(Fault::BadInput, "different tokens",
                    [&] { make_documents(plan(NeedleWords::Choose), {same}, small, 1, 1); }),
             std::string());
  }

  void plans_that_no_document_follows_are_refused() {
    const test::PlainByteTokenizer tokenizer;
    const auto refused = [&](const char* why, const NeedlePlan& wrong) {
      return unlike(Fault::BadInput, why, [&] { make_documents(wrong, {book(tokenizer)}, tokenizer, 1, 1); });
    };
    for (const std::int64_t segments : {1, 0, -1})
      QCOMPARE(refused("Use 2 segments or more", {512, segments, 2, 0, NeedleWords::Choose}), std::string());
    for (const std::int64_t segments :
         {std::int64_t{1} << 54, (std::int64_t{1} << 55) + 1})  // 512 times that wraps around
      QCOMPARE(refused("fewer segments", {512, segments, 2, 0, NeedleWords::Choose}), std::string());
    QCOMPARE(refused("0 to 12 needles", {512, 8, kMostNeedlesToChooseBy + 1, 0, NeedleWords::Choose}), std::string());
    QCOMPARE(refused("0 to 12 needles", {512, 8, -1, 0, NeedleWords::Train}), std::string());
    QCOMPARE(refused("0 to 16 needles", {512, 8, 17, 0, NeedleWords::Measure}), std::string());
    QCOMPARE(refused("with its rivals 32", {512, 8, 4, 29, NeedleWords::Measure}), std::string());
  }

  void a_short_document_has_no_needle_that_it_has_no_room_for() {
    const test::PlainByteTokenizer tokenizer;
    std::size_t left_out = 0, kept = 0;
    for (const std::int64_t segment : {16, 32, 64, 128, 300}) {
      const std::vector<std::int32_t> short_book(static_cast<std::size_t>(2 * segment), 'a');  // no sentence ends in it
      const NeedlePlan many{segment, 2, kMostNeedlesToChooseBy, 0, NeedleWords::Choose};
      const NeedleDocument document = make_documents(many, {short_book}, tokenizer, 1, 1).front();
      QCOMPARE(document.ids.size(), short_book.size());
      const std::span<const std::int32_t> ids = document.ids;
      for (const Needle& needle : document.needles) {
        const auto first = static_cast<std::size_t>(needle.position);
        QVERIFY(first + needle.statement.size() <= ids.size());
        QVERIFY(std::ranges::equal(needle.statement, ids.subspan(first, needle.statement.size())));
      }
      kept += document.needles.size();
      left_out += 3 * kMostNeedlesToChooseBy - document.needles.size();
    }
    QVERIFY(kept > 0 && left_out > 0);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<NeedlesTest>};
#include "needles_test.moc"
