// SPDX-License-Identifier: GPL-3.0-or-later
// LongBench v2 on files of the official shape with contents of our own.
#include "engine/tasks/longbench_v2.h"

#include <QTest>
#include <functional>

#include "tests/support/expect_error.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;

namespace {

json record(const std::string& id, const std::string& context) {
  return {{"_id", id},          {"domain", "Made"},     {"sub_domain", "made"}, {"difficulty", "hard"},
          {"length", "medium"}, {"question", " Who? "}, {"choice_A", "May\n"},  {"choice_B", "Al"},
          {"choice_C", "Bo"},   {"choice_D", "Cy"},     {"answer", "B"},        {"context", context}};
}

class V2Folder : public TempDir {
 public:
  explicit V2Folder(const json& data) : TempDir(fast_parent()) {
    std::filesystem::create_directories(path() / "prompts");
    write_bytes(file("prompts/0shot.txt"), "Read: $DOC$\nThen: $Q$ A $C_A$ B $C_B$ C $C_C$ D $C_D$.");
    write_bytes(file("data.json"), data.dump());
  }
  std::vector<TaskSample> samples(std::int64_t length = 0, std::shared_ptr<const Tokenizer> tokenizer = {}) const {
    SampleRequest request;
    request.data = path().string();
    request.length = length;
    request.tokenizer = std::move(tokenizer);
    return make_longbench_v2_task("longbench_v2")->samples(request);
  }
};

}  // namespace

class LongbenchV2Test : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void finds_the_choice() {
    QCOMPARE(longbench_v2_choice("The correct answer is (B)."), std::string("B"));
    QCOMPARE(longbench_v2_choice("**The correct answer is** **(C)**"), std::string("C"));
    QCOMPARE(longbench_v2_choice("The correct answer is A, The correct answer is (D)"), std::string("D"));
    QCOMPARE(longbench_v2_choice("The correct answer is (E), The correct answer is Dry"), std::string("D"));
    for (const char* const answer :
         {"", "B", "the correct answer is (B)", "The correct answer is (B", "(The correct answer is "})
      QCOMPARE(longbench_v2_choice(answer), std::string());
  }

  void reads_and_scores() {
    const std::string document = "\u3000May saw $Q$ there. " + std::string(1500, 'x') + "\n";
    const V2Folder folder(json::array({record("one", document), record("two", "é")}));
    const auto samples = folder.samples();
    QCOMPARE(samples.size(), std::size_t{2});
    QVERIFY(samples[0].id == "one" && samples[0].slice == "hard, medium");
    QCOMPARE(samples[0].context, "Read: May saw Who? there. " + std::string(1500, 'x'));
    QCOMPARE(samples[0].question, std::string("\nThen: Who? A May B Al C Bo D Cy."));
    QVERIFY(samples[0].fields.at("context") == json(document.substr(0, 1002)));  // of 1000 characters
    const auto task = make_longbench_v2_task("longbench_v2");
    QCOMPARE(task->score(samples[0], {"The correct answer is (B)", {}, {}, {}}), Scores({{"accuracy", 1.0}}));
    QCOMPARE(task->score(samples[0], {"B", {}, {}, {}}), Scores({{"accuracy", 0.0}}));
    const json right = task->prediction(samples[1], " The correct answer is B\n");
    QVERIFY(right.at("judge") == true && right.at("pred") == "B" && right.at("response") == "The correct answer is B");
    const json none = task->prediction(samples[1], "B");
    QVERIFY(none.at("judge") == false && none.at("pred").is_null() && none.at("difficulty") == "hard");
    QVERIFY(none.at("_id") == "two" && none.at("context") == "é");
  }

  void truncates_and_keeps_the_question() {
    const auto tokenizer = Tokenizer::load(CARRYOVER_SOURCE_DIR "/resources/demo");
    const std::string story = read_bytes(CARRYOVER_SOURCE_DIR "/resources/demo/text.txt").substr(0, 3000);
    const V2Folder folder(json::array({record("one", story)}));
    const TaskSample whole = folder.samples().at(0);
    const auto ids = tokenizer->encode(whole.context + whole.question);
    QCOMPARE(folder.samples(128 + std::ssize(ids), tokenizer).at(0).context, whole.context);
    for (std::int64_t most = 101; most < std::ssize(ids); most += 100) {
      const TaskSample sample = folder.samples(128 + most, tokenizer).at(0);
      QCOMPARE(sample.question, whole.question);
      QVERIFY(sample.context.size() < whole.context.size() && whole.context.starts_with(sample.context.substr(0, 60)));
    }
    for (const std::int64_t length : {1, 128, 130, 140})
      QCOMPARE(unlike(Fault::Usage, "no room", [&] { folder.samples(length, tokenizer); }), std::string());
  }

  void refuses() {
    const auto refused = [](const std::function<void(json&)>& change) {
      json data = json::array({record("one", "x"), record("two", "y")});
      change(data);
      const V2Folder folder(data);
      return unlike(Fault::BadInput, "data.json", [&] { folder.samples(); });
    };
    const json good = record("one", "x");
    for (const auto& item : good.items()) {
      const std::string& key = item.key();
      if (key.ends_with("domain")) continue;
      QCOMPARE(refused([&](json& data) { data[1].erase(key); }), std::string());
      QCOMPARE(refused([&](json& data) { data[1][key] = 3; }), std::string());
    }
    for (const char* const key : {"answer", "length", "difficulty"})
      QCOMPARE(refused([&](json& data) { data[0][key] = "E"; }), std::string());
    QCOMPARE(refused([](json& data) { data[1]["_id"] = "one"; }), std::string());
    QCOMPARE(refused([](json& data) { data = json::array(); }), std::string());
    QCOMPARE(refused([](json& data) { data[1] = 3; }), std::string());
    const V2Folder folder(json::array({record("one", "x")}));
    write_bytes(folder.file("prompts/0shot.txt"), "no mark");
    QCOMPARE(unlike(Fault::BadInput, "$DOC$", [&] { folder.samples(); }), std::string());
    std::filesystem::remove(folder.path() / "prompts/0shot.txt");
    QCOMPARE(unlike(Fault::Io, "prompts/0shot.txt", [&] { folder.samples(); }), std::string());
    QCOMPARE(unlike(Fault::Usage, "not a task", [] { make_longbench_v2_task("longbench_v2/a"); }), std::string());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<LongbenchV2Test>};
#include "longbench_v2_test.moc"
