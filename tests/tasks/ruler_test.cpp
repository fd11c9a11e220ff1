// SPDX-License-Identifier: GPL-3.0-or-later
// RULER's tasks: lines equal to those of NVIDIA's scripts, and what holds for every prompt.
// Without a vocabulary four bytes are a token. The SHA-256 are those of the files that NVIDIA's scripts write with the
// same words and tokens:
//   tests/compat/ruler.py lists WORDS
//   tests/compat/ruler.py theirs CHECKOUT OUT --words WORDS --lengths 2048 4096 --samples 8 --seed 7
//     --tasks niah_single_1 niah_multikey_2 niah_multikey_3 vt cwe fwe
#include "engine/tasks/ruler/ruler.h"

#include <QTest>
#include <algorithm>
#include <map>
#include <set>

#include "engine/formats/sha256.h"
#include "tests/support/test_program.h"
#include "tests/tasks/ruler_data.h"

using namespace carryover;
using namespace carryover::test;

class RulerTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void lines_are_those_of_nvidias_scripts_data() {
    QTest::addColumn<QString>("task");
    QTest::addColumn<int>("length");
    QTest::addColumn<QByteArray>("sha");
    const auto row = [](const char* task, int length, const char* sha) {
      QTest::addRow("%s %d", task, length) << QString(task) << length << QByteArray(sha);
    };
    row("niah_single_1", 2048, "2198b72495bd28f5b3644774df8c9769d88b56c1900a54a59307e05bafe36880");
    row("niah_single_1", 4096, "82124484a4a5ffa5ba3b2210783227721f24a4f85f0f6fef63d5e61ff15bc1aa");
    row("niah_multikey_2", 2048, "95807b566fc2ebb7b8e7bae3806c8627ecc6cb106ca0a170b69d3b3af4914d96");
    row("niah_multikey_2", 4096, "e879543cd34089b0b6a137c97c79ba2c3a6852647bf7e6d28f8860705091413a");
    row("niah_multikey_3", 2048, "37108e9d41205130ccf9603ce96810a11e7b8c1ce029b9398b117c1bc40fefa7");
    row("niah_multikey_3", 4096, "8ca133f206ec3c7e1ca437d20887bf47b1e914db0bf80c429a995ee43faeb397");
    row("vt", 2048, "cf7102a42fdf3314569a6b9599da06535b9e6fe954285bd8de6ab7eee057853b");
    row("vt", 4096, "57b1e69283a64fb5bc67958f18be386e2e5c106fc43e1bd91d73e6b6c399f377");
    row("cwe", 2048, "64c0756620bfe80e2b8ef3aa25d78f42b62363b8e4ed0dd3d2e3ed290cd84540");
    row("cwe", 4096, "1e61c46a69b26e6e3f7c5359559797f849fb8f1985763b8dd139d961f1324e7f");
    row("fwe", 2048, "038a10cf7f778f63baa9059ac0163268fa89766905f36bcd0cc8b5d181db1fdd");
    row("fwe", 4096, "28a4a0e349521c5dec9c776d50bfaee93861f7d0753b06e78a19057dc6449237");
  }
  void lines_are_those_of_nvidias_scripts() {
    QFETCH(QString, task);
    QFETCH(int, length);
    QFETCH(QByteArray, sha);
    std::string file;
    for (const TaskSample& sample :
         make_ruler_task("ruler/" + task.toStdString())->samples(request_for(length, 8, 7))) {
      QCOMPARE(prompt_of(sample),
               sample.fields["input"].get<std::string>() + sample.fields["answer_prefix"].get<std::string>());
      file += official_line(sample.fields);
    }
    QCOMPARE(QByteArray::fromStdString(sha256(file)), sha);
  }

  void every_prompt_holds_what_it_asks_for() {
    const FourBytes tokenizer;
    for (const std::string& name : ruler_task_names()) {
      const auto task = make_ruler_task(name);
      const std::int64_t length = 3000;
      const auto samples = task->samples(request_for(length, 5, 3));
      QCOMPARE(samples.size(), std::size_t{5});
      std::set<std::string> ids, prompts;
      for (const TaskSample& sample : samples) {
        ids.insert(sample.id);
        prompts.insert(prompt_of(sample));
        QVERIFY(!sample.context.empty() && !sample.question.empty() && !sample.answer_start.empty());
        QVERIFY(!sample.references.empty() && json(sample.references) == sample.fields["outputs"]);
        for (const std::string& reference : sample.references)
          QVERIFY2(sample.context.find(reference) != std::string::npos, name.c_str());
        for (const std::string& needle : sample.needles) QVERIFY(sample.context.find(needle) != std::string::npos);
        const std::int64_t tokens = std::ssize(tokenizer.encode(prompt_of(sample), false));
        QCOMPARE(sample.fields["length"].get<std::int64_t>(), tokens + task->info().max_new_tokens);
        QVERIFY(sample.fields["length"] <= length);
        QVERIFY2(sample.fields["length"] > length / 2, name.c_str());
      }
      QVERIFY(ids.size() == samples.size() && prompts.size() == samples.size());
    }
  }

  void the_seed_decides_and_more_samples_begin_with_the_same() {
    for (const std::string& name : ruler_task_names()) {
      const auto task = make_ruler_task(name);
      const auto two = task->samples(request_for(2500, 2, 11)), three = task->samples(request_for(2500, 3, 11)),
                 other = task->samples(request_for(2500, 2, 12));
      QCOMPARE(three.size(), std::size_t{3});
      QVERIFY(two[0].fields == three[0].fields && two[1].fields == three[1].fields);
      QVERIFY2(two[0].fields != other[0].fields, name.c_str());
    }
  }

  void needles_are_as_many_as_the_task_says_data() {
    QTest::addColumn<int>("needles");
    QTest::addColumn<int>("all");
    QTest::addColumn<int>("outputs");
    QTest::newRow("niah_single_2") << 1 << 1 << 1;
    QTest::newRow("niah_single_3") << 1 << 1 << 1;
    QTest::newRow("niah_multikey_1") << 1 << 4 << 1;
    QTest::newRow("niah_multivalue") << 4 << 4 << 4;
    QTest::newRow("niah_multiquery") << 4 << 4 << 4;
  }
  void needles_are_as_many_as_the_task_says() {
    QFETCH(int, needles);
    QFETCH(int, all);
    QFETCH(int, outputs);
    std::set<std::string> slices;
    for (const TaskSample& sample :
         make_ruler_task("ruler/" + std::string(QTest::currentDataTag()))->samples(request_for(4096, 20, 5))) {
      QCOMPARE(std::ssize(sample.needles), needles);
      QCOMPARE(std::ssize(sample.references), outputs);
      int found = 0;
      const std::string_view needle = "One of the special magic ";
      for (std::size_t at = sample.context.find(needle); at != std::string::npos;
           at = sample.context.find(needle, at + 1)) {
        const char before = sample.context[sample.context.find_last_not_of(" \n", at - 1)];
        const bool behind_all = sample.context.find("said", at) == std::string::npos;  // words end within a sentence
        QVERIFY(behind_all || before == '.' || before == '"');
        ++found;
      }
      QCOMPARE(found, all);
      slices.insert(sample.slice);
      QVERIFY(sample.fields["haystack"].get<std::string>().starts_with("novel.txt, not RULER's essays"));
      QVERIFY(sample.question.find(needles > 1 ? "What are all" : "What is the") == 1);
    }
    QVERIFY(slices.size() > 4);
    QVERIFY(std::all_of(slices.begin(), slices.end(), [](const auto& slice) { return slice.starts_with("depth "); }));
  }

  void variables_follow_from_the_value_asked_for() {
    for (const TaskSample& sample : make_ruler_task("ruler/vt")->samples(request_for(2048, 20, 9))) {
      const std::string value = sample.needles[0].substr(sample.needles[0].rfind(' ') + 1);
      QVERIFY(sample.question.find("assigned the value " + value + " in") != std::string::npos);
      QCOMPARE(sample.references.size(), std::size_t{5});
      std::size_t at = 0;
      for (const std::string& line : sample.needles) at = sample.context.find(line, at);
      QVERIFY(at != std::string::npos);  // in their order
    }
  }

  void common_words_are_the_most_common() {
    for (const TaskSample& sample : make_ruler_task("ruler/cwe")->samples(request_for(4096, 5, 9))) {
      std::map<std::string, int> counts;
      const std::string list = sample.context.substr(sample.context.rfind("\nBelow is"));
      for (std::size_t at = list.find(". "); at != std::string::npos; at = list.find(". ", at + 1))
        ++counts[list.substr(at + 2, list.find_first_of(" \n", at + 2) - at - 2)];
      for (const std::string& word : sample.references) QCOMPARE(counts[word], 30);
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<RulerTest>};
#include "ruler_test.moc"
