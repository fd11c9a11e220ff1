// SPDX-License-Identifier: GPL-3.0-or-later
// RULER's tasks: the files that they read, what they refuse, and scores.
#include <QTest>
#include <filesystem>
#include <set>

#include "engine/tasks/base/word_list.h"
#include "engine/tasks/ruler/ruler.h"
#include "engine/tasks/ruler/ruler_haystack.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_program.h"
#include "tests/tasks/ruler_data.h"

using namespace carryover;
using namespace carryover::test;

namespace {

double score_of(const std::string& task, const std::vector<std::string>& references, const std::string& text) {
  TaskSample sample;
  sample.references = references;
  TaskAnswer answer;
  answer.text = text;
  return make_ruler_task(task)->score(sample, answer).at("string_match");
}

}  // namespace

class RulerFilesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void needles_stand_between_sentences_at_their_depth() {
    const TempDir folder;
    write_bytes(folder.file("b.txt"), "Unused.");
    write_bytes(folder.file("a.txt"), "\n One, A. two. Is\u00a0it? (Yes.) \"No.\" but  ok. End ");
    const EssayHaystack hay(folder.path().string());
    QCOMPARE(hay.hide(4, {"X."}, {0}), std::string(" X. One, A. two."));  // the blank in front counts as a word
    QCOMPARE(hay.hide(11, {"X.", "Y."}, {0, 100}),
             std::string(" X. One, A. two. Is it? (Yes.) \"No.\" but ok. End Y. "));
    QCOMPARE(hay.hide(11, {"X.", "Y."}, {39, 41}), std::string("One, A. two. X. Is it? Y. (Yes.) \"No.\" but ok. End"));
    QCOMPARE(hay.hide(15, {"X."}, {100}), std::string("One, A. two. Is it? (Yes.) \"No.\" but ok. End One, A. X. "));
    QVERIFY(hay.note().starts_with("a.txt, not"));
    write_bytes(folder.file("PaulGrahamEssays.json"), R"({"text": "Be good. Do work."})");
    QVERIFY(EssayHaystack(folder.path().string()).note().starts_with("PaulGrahamEssays.json, "));
    QCOMPARE(EssayHaystack(folder.path().string()).hide(6, {"X."}, {50}), std::string("Be good. X. Do work. Be good."));
    write_bytes(folder.file("PaulGrahamEssays.json"), R"({"text": " "})");
    QCOMPARE(unlike(Fault::BadInput, "has no text", [&] { EssayHaystack{folder.path().string()}; }), std::string());
    QCOMPARE(ruler_depths().size(), std::size_t{40});
    QVERIFY(ruler_depths().front() == 0 && ruler_depths()[1] == 3 && ruler_depths().back() == 100);
  }

  void pairs_of_words_are_all_different_ones_in_order() {
    const std::vector<std::string> adjectives{"old", "old-time", "a", "zé", "old", "ab", "a-b"},
        nouns{"out", "time-out", "b-x", "x", "y", "out", "é"};
    std::set<std::string> all;
    for (const std::string& adjective : adjectives)
      for (const std::string& noun : nouns) all.insert(adjective + "-" + noun);
    const WordPairs pairs(adjectives, nouns);
    QCOMPARE(pairs.size(), all.size());
    std::size_t index = 0;
    for (const std::string& pair : all) QCOMPARE(pairs.at(index++), pair);
  }

  void words_are_lines_without_blanks_at_their_end() {
    const TempDir folder;
    write_bytes(folder.file("nounlist.txt"), "b \r\na\t\n\nc d");
    QVERIFY((read_word_list(folder.path().string(), "nounlist.txt") == std::vector<std::string>{"b", "a", "", "c d"}));
  }

  void ready_lines_come_first() {
    const auto made = make_ruler_task("ruler/qa_1")->samples(request_for(2500, 3, 1));
    const TempDir folder;
    std::filesystem::create_directory(folder.path() / "qa_1");
    std::string lines;
    for (const TaskSample& sample : made) lines += official_line(sample.fields);
    write_bytes(folder.path() / "qa_1" / "validation.jsonl", lines + "\n");
    SampleRequest request = request_for(2500, 0, 99);
    request.data = folder.path().string();
    const auto read = make_ruler_task("ruler/qa_1")->samples(request);
    QCOMPARE(read.size(), made.size());
    for (std::size_t i = 0; i < made.size(); ++i) {
      QVERIFY(read[i].fields == made[i].fields && read[i].references == made[i].references);
      QVERIFY(read[i].context == made[i].context && read[i].question == made[i].question);
      QVERIFY(read[i].answer_start == " Answer:" && read[i].id == made[i].id);
    }
    request.length = 1000;
    QCOMPARE(unlike(Fault::BadInput, "validation.jsonl:1", [&] { make_ruler_task("ruler/qa_1")->samples(request); }),
             std::string());
    request.length = 0;
    request.count = 2;
    QCOMPARE(make_ruler_task("ruler/qa_1")->samples(request).size(), std::size_t{2});
  }

  void refuses_ready_lines_data() {
    QTest::addColumn<QByteArray>("line");
    QTest::newRow("nothing") << QByteArray("\n");
    QTest::newRow("broken") << QByteArray("{");
    QTest::newRow("no object") << QByteArray("[1]");
    QTest::newRow("no input") << QByteArray(R"({"outputs": ["a"]})");
    QTest::newRow("no outputs") << QByteArray(R"({"input": "a"})");
    QTest::newRow("no output") << QByteArray(R"({"input": "a", "outputs": []})");
    QTest::newRow("an output that is none") << QByteArray(R"({"input": "a", "outputs": [1]})");
    QTest::newRow("an input that is none") << QByteArray(R"({"input": 1, "outputs": ["a"]})");
  }
  void refuses_ready_lines() {
    QFETCH(QByteArray, line);
    const TempDir folder;
    std::filesystem::create_directory(folder.path() / "vt");
    write_bytes(folder.path() / "vt" / "validation.jsonl", line.toStdString());
    SampleRequest request;
    request.data = folder.path().string();
    QCOMPARE(unlike(Fault::BadInput, "validation.jsonl", [&] { make_ruler_task("ruler/vt")->samples(request); }),
             std::string());
  }

  void refuses_what_it_cant_make() {
    const auto refusal = [](const char* task, Fault fault, const char* part, const auto& change) {
      SampleRequest request = request_for(2048, 2, 1);
      change(request);
      return unlike(fault, part, [&] { make_ruler_task(std::string("ruler/") + task)->samples(request); });
    };
    const TempDir empty;
    const auto elsewhere = [&](SampleRequest& request) { request.data = empty.path().string(); };
    const auto nowhere = [](SampleRequest& request) { request.data.clear(); };
    qputenv("CARRYOVER_CACHE", empty.path().c_str());
    QCOMPARE(refusal("cwe", Fault::Io, "./lab assets", elsewhere), std::string());
    QCOMPARE(refusal("niah_single_1", Fault::Io, "list.txt", nowhere), std::string());
    std::filesystem::copy(data_folder().file("nounlist.txt"), empty.path());
    std::filesystem::copy(data_folder().file("adjectivelist.txt"), empty.path());
    QCOMPARE(refusal("niah_single_2", Fault::Io, "PaulGrahamEssays.json", elsewhere), std::string());
    QCOMPARE(refusal("qa_1", Fault::Io, "squad.json", elsewhere), std::string());
    QCOMPARE(refusal("qa_2", Fault::Usage, "hotpotqa.json", nowhere), std::string());
    write_bytes(empty.file("squad.json"), R"({"data": [{"paragraphs": [{"context": 1}]}]})");
    QCOMPARE(refusal("qa_1", Fault::BadInput, "squad.json", elsewhere), std::string());
    write_bytes(empty.file("squad.json"), R"({"data": []})");
    QCOMPARE(refusal("qa_1", Fault::BadInput, "has no question", elsewhere), std::string());
    for (const std::string& name : ruler_task_names()) {
      const char* const task = name.c_str() + 6;
      QCOMPARE(refusal(task, Fault::Usage, "greater length", [](auto& request) { request.length = 100; }),
               std::string());
      QCOMPARE(refusal(task, Fault::Usage, "Give a length", [](auto& request) { request.length = 0; }), std::string());
      QCOMPARE(refusal(task, Fault::Usage, "seed", [](auto& request) { request.seed = 1ULL << 32; }), std::string());
      QCOMPARE(refusal(task, Fault::Usage, "tokenizer", [](auto& request) { request.tokenizer.reset(); }),
               std::string());
    }
  }

  void long_prompts_of_common_words_take_the_english_ones() {
    const TempDir folder;
    for (const char* name : {"nounlist.txt", "adjectivelist.txt", "verblist.txt"})
      write_bytes(folder.file(name), "a\nb\nc\n" + std::string(name) + "\n");
    SampleRequest request = request_for(4096, 1, 1);
    request.data = folder.path().string();
    const auto make = [&] { return make_ruler_task("ruler/cwe")->samples(request); };
    QCOMPARE(unlike(Fault::Io, "english_words.json", make), std::string());
    write_bytes(folder.file("english_words.json"), "version https://");
    QCOMPARE(unlike(Fault::BadInput, "is not valid JSON", make), std::string());
    write_bytes(folder.file("english_words.json"), R"({"0": "one", "1": {"2": "two"}})");
    QCOMPARE(unlike(Fault::BadInput, "has 1 words", make), std::string());
    std::string words;
    for (std::size_t i = 0; i < 4900; ++i)
      words += (words.empty() ? "{\"" : ", \"") + std::to_string(i) + "\": \"" + made_word(i) + "\"";
    write_bytes(folder.file("english_words.json"), words + "}");
    QCOMPARE(make().at(0).references.size(), std::size_t{10});
  }

  void scores_are_shares_of_what_is_found() {
    QCOMPARE(score_of("ruler/cwe", {"apple", "pear"}, " 1. Apple 2. plum"), 0.5);
    QCOMPARE(score_of("ruler/cwe", {"apple", "pear"}, "PEARS and apples"), 1.0);
    QCOMPARE(score_of("ruler/niah_single_1", {"1234567"}, "123456"), 0.0);
    QCOMPARE(score_of("ruler/vt", {"AB", "CD", "EF", "GH"}, "ab, cd, e f"), 0.5);
    QCOMPARE(score_of("ruler/qa_1", {"no", "École"}, "an éCOLE"), 1.0);
    QCOMPARE(score_of("ruler/qa_2", {"x", "y"}, ""), 0.0);
    QCOMPARE(score_of("ruler/qa_2", {"a\nb"},
                      "a\x01"
                      "b"),
             1.0);  // what isn't printed becomes a line end
    QCOMPARE(score_of("ruler/qa_2", {"a\tb"}, "a\tb"), 0.0);
    QCOMPARE(score_of("ruler/qa_2", {" a"}, "\u00a0 a"), 0.0);  // blanks at its ends are gone
    QCOMPARE(score_of("ruler/qa_2", {"\xff"}, "\xff\xfe"), 1.0);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<RulerFilesTest>};
#include "ruler_files_test.moc"
