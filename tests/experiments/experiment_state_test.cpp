// SPDX-License-Identifier: GPL-3.0-or-later
// experiment.json, which a window watches, and what cells are expected to take.
#include "engine/campaigns/experiments/experiment_state.h"

#include <QTest>
#include <filesystem>
#include <set>

#include "tests/support/demo_plan.h"
#include "tests/support/expect_error.h"
#include "tests/support/mutate.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;

class ExperimentStateTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void every_cell_is_listed_once_in_its_order();
  void what_no_chosen_recipe_needs_is_left_out();
  void survives_the_disk();
  void the_command_is_recorded_and_checked();
  void time_left_is_what_is_not_done();
  void paces_come_from_what_is_done();
  void damaged_files_are_refused_or_read();
};

void ExperimentStateTest::every_cell_is_listed_once_in_its_order() {
  const ExperimentState state = demo_state();
  QCOMPARE(state.cells.size(), 4U + 40U);
  std::set<std::string> ids;
  std::string training;  // of the last one listed
  for (const CellState& cell : state.cells) {
    QVERIFY(ids.insert(cell.id).second);
    QVERIFY(cell.status == CellStatus::Pending && cell.training == cell.evaluation.empty());
    if (cell.training) training = cell.recipe;
    if (cell.seed) QCOMPARE(cell.recipe, training);  // evaluations follow their training
  }
  QVERIFY(!state.cells.front().seed && state.cells.front().recipe == "base");
}

void ExperimentStateTest::what_no_chosen_recipe_needs_is_left_out() {
  json file = demo_plan();
  file["recipes"]["again"] = nullptr;  // the same cells as base, by another name
  ExperimentPlan plan = experiment_plan(file.dump(), "plan.json", "");
  const ExperimentCells cells = experiment_cells(plan, "out");
  QCOMPARE(experiment_state(plan, cells).left_out(), 0U);
  plan.only = {"base"};
  const ExperimentState same = experiment_state(plan, cells);
  plan.only = {"lora"};
  ExperimentState state = experiment_state(plan, cells);
  QCOMPARE(same.wanted() + state.wanted(), 8U + 18U);
  for (std::size_t i = 0; i < state.cells.size(); ++i) {
    QCOMPARE(same.cells[i].left_out, same.cells[i].recipe != "base" && same.cells[i].recipe != "again");
    QCOMPARE(state.cells[i].left_out, state.cells[i].recipe != "lora");
    state.cells[i].status = i % 2 == 0 ? CellStatus::Done : CellStatus::Pending;
    state.cells[i].expected_seconds = 1;
  }
  QCOMPARE(state.wanted_done() + static_cast<std::size_t>(state.expected_seconds_left()), state.wanted());
  const TempDir temp;
  write_experiment_state(temp.path().string(), state);
  const ExperimentState back = read_experiment_state(temp.path().string());
  QVERIFY(back.left_out() == state.left_out() && back.wanted_done() == state.wanted_done());
}

void ExperimentStateTest::survives_the_disk() {
  const TempDir temp;
  ExperimentState state = demo_state();
  state.status = CellStatus::Running;
  state.cells[0].status = CellStatus::Done;
  state.cells[0].loss = 2.5;
  state.cells[0].seconds = 3;
  state.cells[1].status = CellStatus::Failed;
  state.cells[1].error = "it did not";
  state.cells[2].expected_seconds = 12;
  state.cells[2].started = 1700000000;
  write_experiment_state(temp.path().string(), state);
  const ExperimentState back = read_experiment_state(temp.path().string());
  QVERIFY(back.name == "demo" && back.title == "Demo" && back.plan == state.plan && back.status == state.status);
  QCOMPARE(back.cells.size(), state.cells.size());
  for (std::size_t i = 0; i < back.cells.size(); ++i) {
    const CellState &a = back.cells[i], &b = state.cells[i];
    QVERIFY(a.id == b.id && a.training == b.training && a.model == b.model && a.recipe == b.recipe &&
            a.evaluation == b.evaluation && a.text == b.text && a.seed == b.seed && a.status == b.status &&
            a.started == b.started && a.seconds == b.seconds && a.expected_seconds == b.expected_seconds &&
            a.loss == b.loss && a.error == b.error);
  }
}

void ExperimentStateTest::the_command_is_recorded_and_checked() {
  const TempDir temp;
  const std::string folder = temp.path().string();
  ExperimentState state = demo_state();
  write_experiment_state(folder, state);
  QVERIFY(!read_experiment_state(folder).command);  // as earlier versions wrote it
  ExperimentRequest request{"plans/a plan.json", "out", {}};
  request.overrides = {{{"m", "m.gguf"}, {"r", "random:tiny"}}, {"d1", "../d2"}, {"/t"}, {"k0", "k1"}, 0};
  state.command = absolute_request(request);
  QCOMPARE(state.command->out, (std::filesystem::current_path() / "out").string());
  write_experiment_state(folder, state);
  const auto back = read_experiment_state(folder).command;
  QVERIFY(back && back->out.empty());  // the folder that has the file
  const auto here = [](const char* path) {
    return (std::filesystem::current_path() / path).lexically_normal().string();
  };
  request = {here("plans/a plan.json"),
             {},
             {{{"m", here("m.gguf")}, {"r", "random:tiny"}}, {here("d1"), here("../d2")}, {"/t"}, {"k0", "k1"}, 0}};
  QCOMPARE(experiment_command(*back), experiment_command(request));
  for (const char* wrong :
       {"[]", "{}", R"({"plan": 3})", R"({"plan": ""})", R"({"plan": "a\u0000b"})", R"({"plan": "p", "data": "d"})",
        R"({"plan": "p", "data": [3]})", R"({"plan": "p", "models": ["m"]})", R"({"plan": "p", "models": {"m": 1}})",
        R"({"plan": "p", "texts": [""]})", R"({"plan": "p", "only": {}})", R"({"plan": "p", "threads": -1})",
        R"({"plan": "p", "threads": 1.5})", R"({"plan": "p", "threads": 1e9})"})
    QCOMPARE(unlike(Fault::BadInput, "file", [&] { request_of(json::parse(wrong), "file"); }), std::string());
  const json huge{{"plan", std::string(1 << 20, 'p')}},
      many{{"plan", "p"}, {"data", json(std::vector<std::string>(20'000, "d"))}};
  for (const json& wrong : {huge, many})
    QCOMPARE(unlike(Fault::BadInput, "file", [&] { request_of(wrong, "file"); }), std::string());
}

void ExperimentStateTest::time_left_is_what_is_not_done() {
  ExperimentState state;
  for (const auto& [status, seconds, expected] : {std::tuple{CellStatus::Done, 5.0, 5.0},
                                                  {CellStatus::Running, 2.0, 10.0},
                                                  {CellStatus::Running, 12.0, 10.0},
                                                  {CellStatus::Pending, 0.0, 7.0},
                                                  {CellStatus::Failed, 1.0, 9.0}}) {
    CellState cell;
    cell.status = status;
    cell.seconds = seconds;
    cell.expected_seconds = expected;
    state.cells.push_back(cell);
  }
  QCOMPARE(state.expected_seconds_left(), 15.0);
  QCOMPARE(state.count(CellStatus::Running), 2U);
}

void ExperimentStateTest::paces_come_from_what_is_done() {
  const auto work = [](bool training, DType dtype, double flops) { return CellWork{0, training, dtype, flops}; };
  const CellWork training = work(true, DType::Float32, 4e9);
  CellPace pace;
  QVERIFY(!pace.knows(training) && pace.seconds(training) == 0);
  pace.guess(training, 1e9);
  QVERIFY(pace.knows(training));
  QCOMPARE(pace.seconds(training), 4.0);
  QVERIFY(!pace.knows(work(false, DType::Float32, 1)) && !pace.knows(work(true, DType::BFloat16, 1)));
  QVERIFY(!pace.knows({1, true, DType::Float32, 1}));  // another model
  pace.add(work(true, DType::Float32, 1e9), 2);
  pace.add(work(true, DType::Float32, 3e9), 6);
  QCOMPARE(pace.seconds(training), 8.0);  // and no longer by the guess
}

void ExperimentStateTest::damaged_files_are_refused_or_read() {
  const TempDir temp(fast_parent());
  ExperimentState state = demo_state();
  state.cells.resize(3);
  state.plan = nullptr;
  write_experiment_state(temp.path().string(), state);
  const std::string text = read_bytes(temp.file("experiment.json"));
  Mutator mutator(text, text.size(), 5);
  int refused = 0, read = 0;
  for (int i = 0; i < 2000; ++i) {
    write_bytes(temp.file("experiment.json"), mutator.next());
    try {
      for (const CellState& cell : read_experiment_state(temp.path().string()).cells) QCOMPARE(cell.id.size(), 16U);
      ++read;
    } catch (const EngineError& error) {
      QVERIFY2(error.fault() == Fault::BadInput, error.what());
      ++refused;
    }
  }
  QVERIFY2(refused > 300 && read > 100, qPrintable(QString("%1 refused, %2 read").arg(refused).arg(read)));
}

static const TestFile these_tests{__FILE__, without_application<ExperimentStateTest>};
#include "experiment_state_test.moc"
