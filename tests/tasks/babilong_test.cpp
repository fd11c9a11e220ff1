// SPDX-License-Identifier: GPL-3.0-or-later
// BABILong on files of the official shape with contents of our own.
#include "engine/tasks/babilong.h"

#include <QTest>

#include "tests/support/expect_error.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;

namespace {

const std::vector<std::string> kPlaces{"bathroom", "bedroom", "garden", "hallway", "kitchen", "office"};

json record(const std::string& target) {
  return {{"input", " Al went to the " + target + ". The tide {was} low.\n"},
          {"question", "Where is Al? "},
          {"target", target}};
}

std::vector<TaskSample> samples_of(const std::string& data, std::int64_t length = 0) {
  SampleRequest request;
  request.data = data;
  request.length = length;
  return make_babilong_task("babilong/qa1")->samples(request);
}

}  // namespace

class BabilongTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void scores_the_first_sentence() {
    const auto score = [](const std::string& answer, const std::string& question = "Where is Al?") {
      return babilong_score(answer, "Garden", question, kPlaces);
    };
    QVERIFY(score("garden") == 1 && score("The GARDEN, I think. Not the office.") == 1 && score("gardens") == 1);
    QVERIFY(score("") == 0 && score("office") == 0 && score("garden or office") == 0 && score(". garden") == 0);
    QVERIFY(score("<example> garden") == 0 && score("garden <context> office") == 1);
    QVERIFY(score("from the office to the garden", "Where was Al before the Office?") == 1);
    QVERIFY(score("garden", "Is Al in the garden?") == 0);
    QVERIFY(score("garden\xff") == 1);
  }

  void every_task_has_labels() {
    const auto names = babilong_task_names();
    QCOMPARE(names.size(), std::size_t{5});
    for (const std::string& name : names) {
      const auto task = make_babilong_task(name);
      TaskSample sample;
      sample.references = {name == "babilong/qa5" ? "Fred" : "kitchen"};
      sample.fields["question"] = "Who?";
      QCOMPARE(task->score(sample, {"It is Fred in the kitchen", {}, {}, {}}), Scores({{"accuracy", 1.0}}));
      QCOMPARE(task->score(sample, {"It is Mary in the garden", {}, {}, {}}), Scores({{"accuracy", 0.0}}));
    }
    QCOMPARE(unlike(Fault::Usage, "qa1 to babilong/qa5", [] { make_babilong_task("babilong/qa6"); }), std::string());
  }

  void reads_lists_and_lines() {
    const TempDir folder;
    const json list = json::array({record("garden"), record("office")});
    write_bytes(folder.file("list.json"), list.dump(1));
    write_bytes(folder.file("lines.json"), list[0].dump() + "\n" + list[1].dump() + "\n");
    for (const char* const name : {"list.json", "lines.json"}) {
      const auto samples = samples_of(folder.file(name));
      QCOMPARE(samples.size(), std::size_t{2});
      QVERIFY(samples[1].id == "2" && samples[1].references == std::vector<std::string>{"office"});
      QVERIFY(samples[0].context.ends_with("\nAl went to the garden. The tide {was} low."));
      QVERIFY(samples[0].question.ends_with("Question: Where is Al? \nAnswer:"));
      QVERIFY(samples[0].fields == json({{"question", "Where is Al? "}, {"target", "garden"}, {"prompt", "own"}}));
    }
  }

  void takes_the_official_prompt() {
    const TempDir folder;
    const std::string name = "qa1_0k_instruction_yes.json";
    std::filesystem::create_directories(folder.path() / "prompts");
    write_bytes(folder.file("set.json"), record("garden").dump());
    const json prompt{{"instruction", "\n Do {this}."},
                      {"examples", "E"},
                      {"post_prompt", "P"},
                      {"template", "{instruction}|{examples}|{post_prompt}|{context}|{question}"},
                      {"chat_template", false}};
    write_bytes(folder.file("prompts/qa10_0k.json"), "{}");  // of another task
    write_bytes(folder.file("prompts/" + name), json({{"prompt", prompt}}).dump());
    const TaskSample sample = samples_of(folder.file("set.json")).at(0);
    QCOMPARE(sample.context, std::string("Do {this}.|E|P|Al went to the garden. The tide {was} low."));
    QCOMPARE(sample.question, std::string("|Where is Al?"));
    QVERIFY(sample.fields.at("prompt") == json(name));
    write_bytes(folder.file("prompts/" + name), json({{"prompt", {{"template", "{context}"}}}}).dump());
    QCOMPARE(unlike(Fault::BadInput, "instruction", [&] { samples_of(folder.file("set.json")); }), std::string());
    write_bytes(folder.file("prompts/" + name), "{}");
    QCOMPARE(unlike(Fault::BadInput, name, [&] { samples_of(folder.file("set.json")); }), std::string());
  }

  void finds_the_length() {
    const TempDir folder;
    const std::string data = folder.path().string();
    QCOMPARE(unlike(Fault::Io, "no samples of qa1", [&] { samples_of(data); }), std::string());
    std::filesystem::create_directories(folder.path() / "data/qa1");
    write_bytes(folder.file("data/qa1/4k.json"), record("garden").dump());
    QCOMPARE(samples_of(data).size(), std::size_t{1});
    write_bytes(folder.file("data/qa1/64k.json"), record("office").dump());
    write_bytes(folder.file("data/qa1/1M.json"), record("kitchen").dump());
    for (const std::int64_t length : {4000, 4096})
      QCOMPARE(samples_of(data, length)[0].references[0], std::string("garden"));
    for (const std::int64_t length : {64000, 65536})
      QCOMPARE(samples_of(data, length)[0].references[0], std::string("office"));
    for (const std::int64_t length : {1000000, 1048576})
      QCOMPARE(samples_of(data, length)[0].references[0], std::string("kitchen"));
    QCOMPARE(unlike(Fault::Usage, "1M, 4k, 64k", [&] { samples_of(data); }), std::string());
    QCOMPARE(unlike(Fault::Usage, "1M, 4k, 64k", [&] { samples_of(data, 5000); }), std::string());
    QCOMPARE(unlike(Fault::Usage, "no file", [] { samples_of(""); }), std::string());
    QCOMPARE(unlike(Fault::Io, "nowhere", [] { samples_of("/nowhere/4k.json"); }), std::string());
  }

  void refuses_records() {
    const TempDir folder;
    for (const char* const key : {"input", "question", "target"})
      for (const json& value : {json(), json(3), json::array()}) {
        json bad = record("garden");
        bad[key] = value;
        write_bytes(folder.file("set.json"), record("office").dump() + "\n" + bad.dump());
        QCOMPARE(unlike(Fault::BadInput, "set.json:2", [&] { samples_of(folder.file("set.json")); }), std::string());
        write_bytes(folder.file("set.json"), json::array({record("office"), bad}).dump());
        QCOMPARE(unlike(Fault::BadInput, "set.json[1]", [&] { samples_of(folder.file("set.json")); }), std::string());
      }
    write_bytes(folder.file("set.json"), "");
    QCOMPARE(unlike(Fault::BadInput, "set.json", [&] { samples_of(folder.file("set.json")); }), std::string());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<BabilongTest>};
#include "babilong_test.moc"
