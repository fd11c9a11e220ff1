// SPDX-License-Identifier: GPL-3.0-or-later
// A window learns of an experiment's folder while another process writes it.
#include "engine/campaigns/experiments/experiment_watch.h"

#include <QTest>
#include <atomic>
#include <filesystem>
#include <thread>
#include <vector>

#include "engine/campaigns/experiments/experiment_command.h"
#include "engine/formats/folder_lock.h"
#include "engine/formats/json_file.h"
#include "tests/support/demo_plan.h"
#include "tests/support/expect_error.h"
#include "tests/support/mutate.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;

class ExperimentWatchTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void only_changes_are_news();
  void a_killed_experiment_has_stopped();
  void looking_takes_no_lock_away();
  void progress_is_the_last_whole_line();
  void figures_are_by_cell();
  void damaged_folders_are_refused_or_read();
  void the_command_says_what_is_not_as_planned();
};

void ExperimentWatchTest::only_changes_are_news() {
  const TempDir temp;
  ExperimentWatch watch(temp.path().string());
  for (int i = 0; i < 2; ++i) QCOMPARE(unlike(Fault::Io, "experiment.json", [&] { watch.poll(); }), std::string());
  ExperimentState state = demo_state();
  write_experiment_state(temp.path().string(), state);
  auto news = watch.poll();
  QVERIFY(news != nullptr && news->state.cells.size() == state.cells.size() && news->state.plan.is_null());
  QVERIFY(watch.poll() == nullptr);
  state.cells[0].status = CellStatus::Done;
  write_experiment_state(temp.path().string(), state);
  news = watch.poll();
  QVERIFY(news != nullptr && news->state.cells[0].status == CellStatus::Done);
  write_bytes(temp.file("results.json"), R"({"trainings": [{"cell": "x", "tokens": 7}]})");
  news = watch.poll();  // not all that results have: no figure is drawn of them
  QVERIFY(news != nullptr && news->figures.at("x").tokens == 7.0);
  QVERIFY(news->drawable == nullptr && news->problem.find("results.json") != std::string::npos);
  const std::string published = CARRYOVER_SOURCE_DIR "/docs/evaluations/experiment-untrained_sinks.json";
  std::filesystem::copy_file(published, temp.file("results.json"), std::filesystem::copy_options::overwrite_existing);
  news = watch.poll();
  QVERIFY(news != nullptr && news->problem.empty() && !news->figures.empty());
  QVERIFY(news->drawable != nullptr && news->drawable->results.experiment == "untrained_sinks");
  write_bytes(temp.file("results.json"), "{");
  news = watch.poll();
  QVERIFY(news != nullptr && news->figures.empty() && news->problem.find("results.json") != std::string::npos);
  QVERIFY(news->state.cells[0].status == CellStatus::Done);
  std::filesystem::remove(temp.file("experiment.json"));
  for (int i = 0; i < 2; ++i) QCOMPARE(unlike(Fault::Io, "experiment.json", [&] { watch.poll(); }), std::string());
}

/// Its lock is left behind, as a kill leaves it, and nobody holds it.
void ExperimentWatchTest::a_killed_experiment_has_stopped() {
  const TempDir temp;
  const std::string folder = temp.path().string();
  ExperimentState state = demo_state();
  state.status = state.cells[1].status = CellStatus::Running;
  state.cells[0].status = CellStatus::Done;
  ExperimentWatch watch(folder);
  {
    const FolderLock process(folder);
    write_experiment_state(folder, state);
    const auto news = watch.poll();
    QVERIFY(news != nullptr && news->state.status == CellStatus::Running);
    QVERIFY(news->state.cells[1].status == CellStatus::Running && watch.poll() == nullptr);
  }
  write_bytes(temp.file("lock"), "");
  auto news = watch.poll();
  QVERIFY(news != nullptr && news->state.status == CellStatus::Pending);
  QVERIFY(news->state.cells[1].status == CellStatus::Pending && news->state.cells[0].status == CellStatus::Done);
  QVERIFY(watch.poll() == nullptr);
  {
    const FolderLock another(folder);  // continues it, and has not written anything yet
    news = watch.poll();
    QVERIFY(news != nullptr && news->state.status == CellStatus::Running && watch.poll() == nullptr);
    state.status = state.cells[1].status = CellStatus::Done;
    write_experiment_state(folder, state);
  }
  news = watch.poll();
  QVERIFY(news != nullptr && news->state.status == CellStatus::Done && watch.poll() == nullptr);
  QVERIFY(!FolderLock::is_held(folder) && !std::filesystem::exists(temp.file("lock")));
}

/// Many processes start while others look: none is refused, and each look while one holds the lock says so.
void ExperimentWatchTest::looking_takes_no_lock_away() {
  const TempDir temp(fast_parent());
  const std::string folder = temp.path().string();
  std::atomic<bool> done = false;
  std::atomic<int> looks = 0;
  std::vector<std::thread> viewers;
  for (int i = 0; i < 4; ++i)
    viewers.emplace_back([&] {
      while (!done) {
        FolderLock::is_held(folder);
        ++looks;
      }
    });
  std::string problem;
  for (int i = 0; i < 2000 || looks < 2000; ++i) {
    try {
      const FolderLock lock(folder);
      if (!FolderLock::is_held(folder)) problem = "not seen";
    } catch (const EngineError& error) {
      problem = error.what();
    }
  }
  done = true;
  for (std::thread& viewer : viewers) viewer.join();
  QCOMPARE(problem, std::string());
  const FolderLock first(folder);
  QCOMPARE(unlike(Fault::Usage, folder, [&] { FolderLock second(folder); }), std::string());
}

void ExperimentWatchTest::progress_is_the_last_whole_line() {
  const TempDir temp;
  const std::string folder = temp.path().string();
  QVERIFY(!cell_progress(folder, true));
  write_bytes(temp.file("config.json"), R"({"max_steps": 40, "tokens": 100})");
  QCOMPARE(cell_progress(folder, true), (CellProgress{0, 40}));
  const std::string steps = "{\"step\": 1}\n{\"step\": 12, \"validation\": []}\n";
  write_bytes(temp.file("metrics.jsonl"), steps + "{\"step\": 13");
  QCOMPARE(cell_progress(folder, true), (CellProgress{12, 40}));
  write_bytes(temp.file("metrics.jsonl"), steps + "{\"step\": 50}\n");
  QCOMPARE(cell_progress(folder, true), (CellProgress{40, 40}));
  write_bytes(temp.file("segments.jsonl"), "{\"first_token\": 64, \"length\": 32}\n");
  QCOMPARE(cell_progress(folder, false), (CellProgress{96, 100}));
  for (const char* line :
       {"{\"first_token\": 9223372036854775807, \"length\": 9}\n", "\n", "{\"first_token\": -5, \"length\": 9}\n"}) {
    write_bytes(temp.file("segments.jsonl"), line);
    const auto progress = cell_progress(folder, false);
    QVERIFY(!progress || *progress == (CellProgress{0, 100}));
  }
  write_bytes(temp.file("metrics.jsonl"), std::string(1 << 20, 'x'));  // no line at all
  QCOMPARE(cell_progress(folder, true), (CellProgress{0, 40}));
  write_bytes(temp.file("config.json"), R"({"max_steps": -3})");
  QVERIFY(!cell_progress(folder, true));
}

void ExperimentWatchTest::figures_are_by_cell() {
  const json results = json::parse(R"({
    "trainings": [{"cell": "t", "tokens": 3, "peak_memory_bytes": 5}],
    "runs": [{"config": {"segment_length": 64, "carry_length": 8, "retrieval_length": 16, "sink_length": 4},
              "texts": [{"cell": "a", "tokens": 1, "attention_kv_bytes": 9, "sinks_lost_share": 0.5}, {"cell": "b"}]},
             {"texts": [{"cell": "a", "tokens": 2}]}]})");
  const auto figures = cell_figures(results, "results.json");
  QCOMPARE(figures.size(), std::size_t{3});
  QVERIFY(figures.at("t").peak_memory_bytes == 5.0 && !figures.at("t").segment);
  const CellFigures& a = figures.at("a");
  QVERIFY(a.segment == 64.0 && a.carry == 8.0 && a.retrieved == 16.0 && a.sinks == 4.0 && a.tokens == 1.0);
  QVERIFY(a.sinks_lost == 0.5 && !figures.at("b").sinks_lost);
  QVERIFY(a.attention_kv_bytes == 9.0 && !figures.at("b").tokens && figures.at("b").segment == 64.0);
  for (const char* wrong :
       {"3", R"({"runs": [3]})", R"({"runs": [{"config": []}]})", R"({"trainings": [{"tokens": "x"}]})"})
    QCOMPARE(unlike(Fault::BadInput, "results.json", [&] { cell_figures(json::parse(wrong), "results.json"); }),
             std::string());
}

void ExperimentWatchTest::damaged_folders_are_refused_or_read() {
  const TempDir temp(fast_parent());
  ExperimentState state = demo_state();
  state.cells[0].status = CellStatus::Running;
  write_experiment_state(temp.path().string(), state);
  Mutator mutants(read_bytes(temp.file("experiment.json")), 1 << 20, 7);
  int refused = 0, read = 0;
  for (int i = 0; i < 400; ++i) {
    write_bytes(temp.file("experiment.json"), mutants.next());
    try {
      ExperimentWatch watch(temp.path().string());
      if (watch.poll()) ++read;
    } catch (const EngineError& error) {
      QVERIFY(error.fault() == Fault::BadInput);
      ++refused;
    }
  }
  QVERIFY(refused > 20 && read > 20 && refused + read == 400);
}

void ExperimentWatchTest::the_command_says_what_is_not_as_planned() {
  ExperimentRequest request{"plan.json", {}, {}};
  QCOMPARE(experiment_command(request), (std::vector<std::string>{"carryover", "experiment", "plan.json"}));
  request.out = "out";
  request.overrides = {{{"m", "m.gguf"}}, {"d1", "d2"}, {"t"}, {"k0"}, 0};
  QCOMPARE(
      experiment_command(request),
      (std::vector<std::string>{"carryover", "experiment", "plan.json", "--model", "m=m.gguf", "--data", "d1", "--data",
                                "d2", "--texts", "t", "--only", "k0", "--threads", "0", "--out", "out"}));
}

static const TestFile these_tests{__FILE__, without_application<ExperimentWatchTest>};
#include "experiment_watch_test.moc"
