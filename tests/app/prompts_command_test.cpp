// SPDX-License-Identifier: GPL-3.0-or-later
// `carryover run --prompts` on the demo: each example is the run that `run` makes of its text, and the tables are of
// those folders.
#include <QTest>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "engine/runs/records/run_reader.h"
#include "tests/support/cli_process.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;
namespace fs = std::filesystem;

class PromptsCommandTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void examples_are_the_runs_of_their_texts();
  void answers_and_controls_are_of_those_runs();
  void finished_examples_are_not_run_again();
  void an_example_that_fails_is_recorded();
  void a_question_pass_is_said_to_be_in_vain();
  void wrong_usage_is_refused();
  void files_of_somebody_else_stay();

 private:
  QStringList command(const QStringList& more = {}) const {
    return run_demo({"--prompts", text(folder_.file("set.jsonl")), "--against", "off", "--out",
                     text(folder_.file("set")), "--threads", "1", "--quiet"}) +
           more;
  }
  json results() const { return json::parse(read_bytes(folder_.file("set/prompts.json"))); }

  TempDir folder_;
  std::vector<std::string> texts_;
  json printed_;
};

/// Stories that end where a name of theirs is asked for.
void PromptsCommandTest::initTestCase() {
  const std::string story = read_bytes(demo_text().toStdString());
  const std::string answer = " May Snow.";
  std::string lines;
  for (const std::size_t least : {900, 1800, 2700}) {
    const std::size_t asked = story.find(" Who is May?" + answer, least);
    QVERIFY(asked != std::string::npos);
    texts_.push_back(story.substr(0, asked) + " Who is May?");
    json line{{"text", texts_.back()}, {"answer", answer}, {"target", "Here comes May Snow"}};
    line["name"] = "May after " + std::to_string(least);
    line["tags"] = {least < 2000 ? "short" : "long", "may"};
    lines += line.dump() + "\n";
  }
  write_bytes(folder_.file("set.jsonl"), lines);
  const CliResult run = run_cli(command({"--json"}));
  QVERIFY2(run.code == 0, run.err);
  printed_ = json::parse(run.out.toStdString());
}

void PromptsCommandTest::examples_are_the_runs_of_their_texts() {
  QVERIFY(printed_ == results());
  QCOMPARE(printed_.at("examples").size(), std::size_t{3});
  for (std::size_t i = 0; i < 3; ++i) {
    const json& example = printed_.at("examples")[i];
    write_bytes(folder_.file("text"), texts_[i] + " May Snow.");
    const QStringList alone = run_demo(
        {text(folder_.file("text")), "--threads", "1", "--out", text(folder_.file("alone")), "--overwrite", "--json"});
    const json summary = json_of(run_cli(alone));
    QVERIFY(example.at("loss") == summary.at("nll_mean") && example.at("tokens") == summary.at("tokens"));
    const std::string there = folder_.file("set/" + example.at("folder").get<std::string>());
    QCOMPARE(read_bytes(there + "/nll.json"), read_bytes(folder_.file("alone/nll.json")));
    QCOMPARE(read_bytes(there + "/hits.jsonl"), read_bytes(folder_.file("alone/hits.jsonl")));
    QCOMPARE(reopen_run(there).description.id, reopen_run(folder_.file("alone")).description.id);
  }
  QVERIFY(printed_.at("examples")[0].at("folder") == "examples/0001-May-after-900");
}

void PromptsCommandTest::answers_and_controls_are_of_those_runs() {
  for (const json& example : printed_.at("examples")) {
    double answer[2], loss[2];
    for (const int control : {0, 1}) {
      const json& at = example.at(control == 1 ? "against_folder" : "folder");
      const std::string there = folder_.file("set/" + at.get<std::string>());
      const auto nll = json::parse(read_bytes(there + "/nll.json")).get<std::vector<double>>();
      const std::size_t tokens =
          json_of(run_cli({"tokenize", demo_model(), "-"}, " May Snow.")).size();  // words are tokens of the demo
      answer[control] = std::accumulate(nll.end() - static_cast<std::ptrdiff_t>(tokens), nll.end(), 0.0) /
                        static_cast<double>(tokens);
      loss[control] = std::accumulate(nll.begin(), nll.end(), 0.0) / static_cast<double>(nll.size());
      QCOMPARE(read_bytes(there + "/hits.jsonl").empty(), control == 1);
    }
    QVERIFY(std::abs(example.at("answer_loss").get<double>() - answer[0]) < 1e-6);
    QVERIFY(std::abs(example.at("delta_answer_loss").get<double>() - (answer[1] - answer[0])) < 1e-6);
    QVERIFY(std::abs(example.at("delta_loss").get<double>() - (loss[1] - loss[0])) < 1e-6);
    QVERIFY(example.at("recall").get<double>() >= 0 && example.at("hit_distance").get<double>() > 0);
  }
  const json& slices = printed_.at("slices");
  QVERIFY(slices.size() == 4 && slices[0].at("examples") == 3);
  for (const auto& [place, tag] : {std::pair(1, "may"), std::pair(2, "short"), std::pair(3, "long")})
    QVERIFY(slices[static_cast<std::size_t>(place)].at("tag") == tag);  // the file's order
  QVERIFY(slices[0].at("loss") == slices[1].at("loss"));                // "may" is every example's
  const QByteArray table = QByteArray::fromStdString(read_bytes(folder_.file("set/table.md")));
  QVERIFY(table.contains("| slice | examples | loss | answer loss | hit distance | recall | Δ loss | Δ answer loss |"));
  QCOMPARE(read_bytes(folder_.file("set/prompts.csv")).find("May after 1800") != std::string::npos, true);
}

void PromptsCommandTest::finished_examples_are_not_run_again() {
  const auto written = [&](const char* name) {
    return fs::last_write_time(folder_.file(std::string("set/examples/") + name + "/segments.jsonl"));
  };
  const auto first = written("0001-May-after-900"), second = written("0002-May-after-1800");
  fs::remove(folder_.file("set/examples/0002-May-after-1800/summary.json"));  // as one that was stopped
  QVERIFY(json_of(run_cli(command({"--json"}))).at("slices") == printed_.at("slices"));
  QVERIFY(written("0001-May-after-900") == first && written("0002-May-after-1800") != second);

  const CliResult other = run_cli(command({"--segment-length", "32"}));
  QVERIFY2(other.code == 2 && other.err.contains("holds another run"), other.err);
  const CliResult over = run_cli(command({"--segment-length", "32", "--overwrite"}));
  QVERIFY2(over.code == 0, over.err);
  QVERIFY(results().at("config").at("segment_length") == 32 && results().at("slices") != printed_.at("slices"));
}

void PromptsCommandTest::an_example_that_fails_is_recorded() {
  write_bytes(folder_.file("two.jsonl"), R"({"text": "Who is May?", "name": "good"})"
                                         "\n"
                                         R"({"text": "Who is May?", "name": "bad"})"
                                         "\n");
  fs::create_directories(folder_.file("two/examples"));
  write_bytes(folder_.file("two/examples/0002-bad"), "a file where the run's folder would be");
  const CliResult run = run_cli(run_demo(
      {"--prompts", text(folder_.file("two.jsonl")), "--out", text(folder_.file("two")), "--json", "--quiet"}));
  QCOMPARE(run.code, 1);
  const json results = json::parse(run.out.toStdString());
  QVERIFY(results.at("examples")[0].at("loss").is_number() && results.at("complete") == true);
  QVERIFY(results.at("examples")[1].at("error").get<std::string>().find("is not a folder") != std::string::npos);
  QVERIFY(results.at("slices")[0].at("examples") == 1);
}

void PromptsCommandTest::a_question_pass_is_said_to_be_in_vain() {
  write_bytes(folder_.file("one.jsonl"), R"({"text": "Who is May?"})");
  for (const bool retrieves : {true, false}) {
    const CliResult run = run_cli(run_demo({"--prompts", text(folder_.file("one.jsonl")), "--out",
                                            text(folder_.file(retrieves ? "asks" : "asks not")), "--question-pass",
                                            "--retrieval-length", retrieves ? "32" : "0"}));
    QVERIFY2(run.code == 0, run.err);
    QCOMPARE(run.err.contains("question_pass does not apply"), retrieves);
  }
}

void PromptsCommandTest::wrong_usage_is_refused() {
  const QString set = text(folder_.file("set.jsonl"));
  for (const QStringList& words :
       {QStringList{"--prompts", set}, QStringList{"--prompts", set, demo_text()},
        QStringList{demo_text(), "--against", "off"}, QStringList{"--prompts", set, "--out", "x", "--tokens", "5"},
        QStringList{"--prompts", set, "--out", "x", "--no-capture", "hits"},
        QStringList{"--prompts", set, "--out", "x", "--policy", "full", "--against", "off"}}) {
    const CliResult run = run_cli(run_demo(words));
    QVERIFY2(run.code == 2 && run.out.isEmpty(), run.err + words.join(' ').toUtf8());
  }
}

void PromptsCommandTest::files_of_somebody_else_stay() {
  const auto run_into = [this](const TempDir& folder) {
    return run_cli(run_demo({"--prompts", text(folder_.file("set.jsonl")), "--out", text(folder.path().string()),
                             "--threads", "1", "--quiet"}));
  };
  const TempDir other, runs;
  write_bytes(other.file("prompts.json"), "[\"mine\"]");
  const CliResult refused = run_into(other);
  QVERIFY2(refused.code == 2 && refused.err.contains("prompts.json"), refused.err);
  QCOMPARE(read_bytes(other.file("prompts.json")), std::string("[\"mine\"]"));
  const std::string example = runs.file(results().at("examples").at(0).at("folder").get<std::string>());
  std::filesystem::create_directories(example);
  write_bytes(example + "/nll.json", "[1]");
  run_into(runs);
  QCOMPARE(read_bytes(example + "/nll.json"), std::string("[1]"));
}

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<PromptsCommandTest>};
#include "prompts_command_test.moc"
