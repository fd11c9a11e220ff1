// SPDX-License-Identifier: GPL-3.0-or-later
// Prompt sets: what a line may hold, what is refused with file and line, and which tokens answer and target are.
#include "engine/data/prompt_set.h"

#include <QTest>
#include <random>
#include <span>

#include "tests/support/expect_error.h"
#include "tests/support/mutate.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

std::vector<PromptExample> read_lines(const std::string& lines) {
  const TempDir folder;
  write_bytes(folder.file("set.jsonl"), lines);
  return read_prompt_set(folder.file("set.jsonl"));
}

std::string text_of(const Tokenizer& tokenizer, const std::vector<std::int32_t>& ids, TokenRange range) {
  std::string text;
  for (std::int64_t i = range.first; i < range.last; ++i) text += tokenizer.bytes(ids.at(static_cast<std::size_t>(i)));
  return text;
}

}  // namespace

class PromptSetTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void reads_what_a_line_holds() {
    const auto examples = read_lines(
        "{\"text\": \"One.\"}\n\n"
        "{\"text\": \"Who is May? May Snow. Who is\", \"name\": \"may\", \"answer\": \" May\", \"tags\": [\"b\", "
        "\"a\", \"b\"]}\n"
        "{\"text\": \"A key: 7.\", \"answer\": \" 7\", \"target\": \"key\", \"name\": null}");
    QCOMPARE(examples.size(), std::size_t{3});
    QVERIFY(examples[0].text == "One." && examples[0].name == "1" && examples[0].line == 1 && examples[0].tags.empty());
    QVERIFY(examples[0].answer.empty() && examples[0].target.empty());
    QVERIFY(examples[1].name == "may" && examples[1].answer == " May" && examples[1].target == "May");
    QVERIFY((examples[1].tags == std::vector<std::string>{"a", "b"}) && examples[1].line == 3);
    QVERIFY(examples[2].target == "key" && examples[2].name == "4");
    QVERIFY(read_lines("{\"text\": \"A.\", \"answer\": \" B\"}")[0].target.empty());  // which the text does not have
  }

  void refuses_data() {
    QTest::addColumn<QByteArray>("lines");
    QTest::addColumn<QByteArray>("problem");
    QTest::newRow("nothing") << QByteArray("\n") << QByteArray("has no example");
    QTest::newRow("no object") << QByteArray("{\"text\": \"A.\"}\n[1]\n") << QByteArray("set.jsonl:2");
    QTest::newRow("broken") << QByteArray("{\"text\": \"A.\n") << QByteArray("set.jsonl:1");
    QTest::newRow("no text") << QByteArray("{\"name\": \"a\"}") << QByteArray("has no text");
    QTest::newRow("wrong type") << QByteArray("{\"text\": 5}") << QByteArray("text");
    QTest::newRow("unknown field") << QByteArray("{\"text\": \"A.\", \"tag\": [\"a\"]}")
                                   << QByteArray("\"tag\" is unknown");
    QTest::newRow("tags") << QByteArray("{\"text\": \"A.\", \"tags\": \"a\"}") << QByteArray("not a list");
    QTest::newRow("a tag") << QByteArray("{\"text\": \"A.\", \"tags\": [1]}") << QByteArray("a tag is not a string");
    QTest::newRow("target") << QByteArray("{\"text\": \"A.\", \"target\": \"B\"}") << QByteArray("not in its text");
    QTest::newRow("a name twice") << QByteArray("{\"text\": \"A.\", \"name\": \"2\"}\n{\"text\": \"B.\"}")
                                  << QByteArray("set.jsonl:2");
    QTest::newRow("a long name") << "{\"text\": \"A.\", \"name\": \"" + QByteArray(300, 'x') + "\"}"
                                 << QByteArray("300 bytes");
  }
  void refuses() {
    QFETCH(QByteArray, lines);
    QFETCH(QByteArray, problem);
    QCOMPARE(unlike(Fault::BadInput, problem.toStdString(), [&] { read_lines(lines.toStdString()); }), std::string());
    QCOMPARE(unlike(Fault::Io, "nowhere", [] { read_prompt_set("/nowhere/set.jsonl"); }), std::string());
  }

  void any_damage_is_refused_or_read() {
    const auto tokenizer = Tokenizer::load(CARRYOVER_SOURCE_DIR "/resources/demo");
    const std::string whole =
        "{\"text\": \"Who is May? Größe\", \"answer\": \" May\", \"target\": \"May\", \"tags\": [\"a\", \"b\"]}\n"
        "{\"text\": \"The tide \\u00e9 went out.\", \"name\": \"tide\"}\n";
    Mutator mutants(whole, whole.size(), 5);
    int read = 0, refused = 0;
    for (int i = 0; i < 2000; ++i) {
      std::vector<PromptExample> examples;
      const auto error = error_of([&] { examples = read_lines(mutants.next()); });
      if (error) {
        ++refused;
        QVERIFY(error->fault() == Fault::BadInput);
        continue;
      }
      ++read;
      for (const PromptExample& example : examples) {
        QVERIFY(!example.text.empty() && !example.name.empty());
        PromptTokens tokens;
        if (error_of([&] { tokens = prompt_tokens(example, *tokenizer); })) continue;  // no such character
        QCOMPARE(tokens.targets.empty(), example.target.empty());
        for (const TokenRange& target : tokens.targets)
          QVERIFY(0 <= target.first && target.first < target.last && target.last <= std::ssize(tokens.ids));
      }
    }
    QVERIFY(read > 100 && refused > 500);
  }

  // Any part of a text, wherever its tokens begin and end: the range holds it, and no token that has none of it.
  void ranges_hold_what_they_are_of() {
    const auto tokenizer = Tokenizer::load(CARRYOVER_SOURCE_DIR "/resources/demo");
    const std::string story =
        read_bytes(CARRYOVER_SOURCE_DIR "/resources/demo/text.txt").substr(0, 2000) + " Größe 東京";
    std::mt19937_64 random(3);
    for (int i = 0; i < 200; ++i) {
      const std::size_t cut = story.rfind(' ', 200 + random() % (story.size() - 200));
      PromptExample example;
      example.text = story.substr(0, cut);
      example.answer = story.substr(cut);
      const std::size_t at = random() % (cut - 20);
      example.target = example.text.substr(at, 1 + random() % 20);
      const PromptTokens tokens = prompt_tokens(example, *tokenizer);
      QVERIFY(tokens.ids == tokenizer->encode(story));
      QCOMPARE(tokens.answer.last, std::ssize(tokens.ids));
      QVERIFY(text_of(*tokenizer, tokens.ids, tokens.answer).ends_with(example.answer));
      QVERIFY(text_of(*tokenizer, tokens.ids, {tokens.answer.first + 1, tokens.answer.last}).size() <
              example.answer.size());
      QVERIFY(!tokens.targets.empty());
      bool here = false;
      for (const TokenRange& target : tokens.targets) {
        const std::string held = text_of(*tokenizer, tokens.ids, target);
        const std::size_t found = held.find(example.target);
        QVERIFY(found < tokenizer->bytes(tokens.ids[static_cast<std::size_t>(target.first)]).size());
        const std::size_t behind = held.size() - found - example.target.size();
        QVERIFY(behind < tokenizer->bytes(tokens.ids[static_cast<std::size_t>(target.last - 1)]).size());
        here = here || text_of(*tokenizer, tokens.ids, {0, target.first}).size() + found == at;
      }
      QVERIFY(here || example.text.find(example.target) < at);  // places that overlap count once
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<PromptSetTest>};
#include "prompt_set_test.moc"
