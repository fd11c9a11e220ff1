// SPDX-License-Identifier: GPL-3.0-or-later
// `carryover experiment`: cells that are ordinary folders, numbers that no interruption changes, tables from them.
#include <signal.h>

#include <QTest>
#include <QThread>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "engine/campaigns/experiments/experiment_report.h"
#include "engine/campaigns/experiments/experiment_state.h"
#include "engine/formats/folder_lock.h"
#include "engine/formats/json_file.h"
#include "engine/runs/records/run_folder.h"
#include "engine/training/records/training_folder.h"
#include "tests/support/cli_process.h"
#include "tests/support/demo_plan.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// One seed, so that it takes seconds.
json short_plan() {
  json plan = demo_plan();
  plan["seeds"] = {1};
  plan["recipes"]["all"]["max_steps"] = 60;
  return plan;
}

/// results.json without what a clock and memory say.
json numbers_of(const std::string& experiment) {
  json results = read_json_file(experiment + "/results.json");
  for (json& run : results["runs"])
    for (json& text : run["texts"])
      for (const char* measured : {"seconds", "computing_seconds", "peak_memory_bytes"}) text.erase(measured);
  for (json& training : results["trainings"])
    for (const char* measured : {"seconds", "peak_memory_bytes"}) training.erase(measured);
  return results;
}

}  // namespace

class ExperimentCommandTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void cells_are_ordinary_folders();
  void sums_are_those_of_the_losses();
  void each_length_has_a_run_of_its_own();
  void tables_come_from_the_results_alone();
  void cells_of_earlier_versions_are_done();
  void what_is_done_is_not_made_again();
  void kills_change_nothing();
  void ctrl_c_saves_and_the_same_command_continues();
  void a_damaged_cell_is_made_again();
  void one_process_at_a_time();
  void a_cell_that_fails_leaves_the_others();
  void some_recipes_alone();
  void a_recipe_may_distil();
  void a_dry_run_writes_nothing();
  void cells_of_earlier_results_are_taken();
  void crafted_earlier_results_are_refused();

 private:
  QStringList experiment(const std::string& plan, const std::string& out, const QStringList& more = {}) const {
    return QStringList{"experiment", text(plan), "--out", text(out), "--quiet"} + more;
  }
  TempDir temp_;
  std::string plan_, out_;
};

/// One undisturbed run, which all others are held against.
void ExperimentCommandTest::initTestCase() {
  qputenv("CARRYOVER_CACHE", QByteArray::fromStdString(temp_.file("cache")));
  plan_ = temp_.file("plan.json");
  out_ = temp_.file("undisturbed");
  write_bytes(plan_, short_plan().dump());
  const CliResult result = run_cli(experiment(plan_, out_));
  QVERIFY2(result.code == 0, result.err);
  QVERIFY2(result.out.contains("26 of 26 cells are done"), result.out);
}

void ExperimentCommandTest::cells_are_ordinary_folders() {
  const ExperimentState state = read_experiment_state(out_);
  QVERIFY(state.status == CellStatus::Done && state.count(CellStatus::Done) == state.cells.size());
  int trainings = 0;
  for (const CellState& cell : state.cells) {
    const std::string folder = cell_folder(out_, cell.id);
    QVERIFY(cell.loss && *cell.loss > 0 && cell.seconds > 0);
    if (cell.training) {
      ++trainings;
      const StoredTraining run = read_training_folder(folder);
      QVERIFY(!run.final_folder.empty() && run.checkpoints.empty());  // which take room and are of no use any more
      QCOMPARE(run.steps.size(), cell.recipe == "all" ? 60U : 4U);
      continue;
    }
    const StoredRun run = read_run_folder(folder);
    double nll = 0;
    for (const float value : run.target_nll) nll += static_cast<double>(value);
    QVERIFY(run.target_nll.size() == 511 && run.hits.empty());
    QVERIFY(std::abs(*cell.loss - nll / 511) < 1e-6);
    QCOMPARE(run.config->at("config").at("sink_length"), 0);
    if (cell.recipe != "lora") continue;  // the adapter that was trained for it is merged
    QVERIFY(run.config->at("model").at("adapter").get<std::string>().ends_with("/final"));
  }
  QCOMPARE(trainings, 2);
}

/// The teacher's logits go with the checkpoints: nobody needs them after the training.
void ExperimentCommandTest::a_recipe_may_distil() {
  const TempDir temp;
  json plan = short_plan();
  plan["recipes"] = {{"distilled", demo_plan()["recipes"]["all"]}};
  plan["recipes"]["distilled"]["distillation"] = 0.5;
  plan["evaluations"] = {{"segmented", nullptr}};
  plan.erase("comparisons");
  write_bytes(temp.file("plan.json"), plan.dump());
  const CliResult result = run_cli(experiment(temp.file("plan.json"), temp.file("out")));
  QVERIFY2(result.code == 0 && result.out.contains("3 of 3 cells are done"), result.err + result.out);
  int trainings = 0;
  for (const CellState& cell : read_experiment_state(temp.file("out")).cells) {
    if (!cell.training) continue;
    ++trainings;
    const std::string folder = cell_folder(temp.file("out"), cell.id);
    for (const StepRecord& step : read_training_folder(folder).steps)
      QVERIFY(step.distillation_loss.value_or(0) > 0 && *step.distillation_loss != step.loss);
    QVERIFY(fs::exists(folder + "/final") && !fs::exists(folder + "/teacher.bin"));
  }
  QCOMPARE(trainings, 1);
}

/// By length, segment (of 64 tokens) and offset, beside a loop over the losses of the cell's own folder.
void ExperimentCommandTest::sums_are_those_of_the_losses() {
  const json results = read_json_file(out_ + "/results.json");
  const auto close = [](const json& value, double sum) { return std::abs(value.get<double>() - sum) < 1e-3; };
  int texts = 0;
  for (const json& run : results.at("runs"))
    for (const json& text : run.at("texts")) {
      ++texts;
      const StoredRun cell = read_run_folder(cell_folder(out_, text.at("cell").get<std::string>()));
      const std::vector<float>& nll = cell.target_nll;
      const auto lost = [](const SegmentRecord& segment) { return segment.sinks.value().lost; };
      QCOMPARE(text.at("sinks_lost_share").get<double>() * static_cast<double>(cell.segments.size()),
               static_cast<double>(std::ranges::count_if(cell.segments, lost)));
      double computing = 0;  // not what looks on
      for (const SegmentRecord& segment : cell.segments) computing += segment.time->sum() - segment.time->host;
      QVERIFY(close(text.at("computing_seconds"), computing));
      QVERIFY(computing > 0 && text.at("computing_seconds") < text.at("seconds"));
      std::map<std::int64_t, std::pair<int, double>> lengths, segments, offsets;
      const auto add = [&](auto& sums, std::int64_t key, float value) {
        sums[key].first += 1;
        sums[key].second += static_cast<double>(value);
      };
      for (std::size_t i = 0; i < nll.size(); ++i) {
        const auto predicted = static_cast<std::int64_t>(i) + 1, offset = static_cast<std::int64_t>(i) % 64;
        for (const std::int64_t length : {256, 512})
          if (predicted < length) add(lengths, length, nll[i]);
        add(segments, static_cast<std::int64_t>(i) / 64, nll[i]);
        std::int64_t bin = 0;
        for (std::int64_t first = 1; first <= offset; first *= 2) bin = first;
        if (i >= 64) add(offsets, bin, nll[i]);
      }
      QCOMPARE(text.at("lengths").size(), 2U);
      for (const json& length : text.at("lengths")) {
        const auto& sum = lengths.at(length.at("tokens").get<std::int64_t>());
        QVERIFY(length.at("targets") == sum.first && close(length.at("nll_sum"), sum.second));
        QVERIFY(length.at("attention_kv_bytes").get<double>() > 0);
      }
      // The run had the bytes that the cost model says of the longest length.
      QCOMPARE(text.at("lengths").back().at("attention_kv_bytes"), text.at("attention_kv_bytes"));
      QCOMPARE(text.at("segments").size(), segments.size());
      for (const auto& [segment, sum] : segments) {
        const json& there = text.at("segments").at(static_cast<std::size_t>(segment));
        QVERIFY(there.at(0) == sum.first && close(there.at(1), sum.second));
      }
      QCOMPARE(text.at("offsets").size(), offsets.size());
      for (const json& there : text.at("offsets")) {
        const auto& sum = offsets.at(there.at(0).get<std::int64_t>());
        QVERIFY(there.at(1) == sum.first && close(there.at(2), sum.second));
      }
    }
  QCOMPARE(texts, 24);
}

/// With the losses that a beginning of the longest run has, and with less memory under a policy whose cache grows.
void ExperimentCommandTest::each_length_has_a_run_of_its_own() {
  json plan = short_plan();
  plan["recipes"] = {{"base", nullptr}};
  plan["evaluations"] = {{"full", {{"policy", "full"}}}};
  plan["each_length"] = true;
  plan.erase("comparisons");
  write_bytes(temp_.file("each.json"), plan.dump());
  const std::string out = temp_.file("each");
  const CliResult result = run_cli(experiment(temp_.file("each.json"), out));
  QVERIFY2(result.code == 0 && result.out.contains("4 of 4 cells are done"), result.err + result.out);
  const json entries = read_json_file(out + "/results.json").at("runs").at(0).at("texts");
  QCOMPARE(entries.size(), 4U);
  for (const json& run : read_json_file(out_ + "/results.json").at("runs")) {
    if (run.at("recipe") != "base" || run.at("evaluation") != "full") continue;
    for (std::size_t i = 0; i < 4; ++i) {  // two texts of two lengths
      const json& length = run.at("texts").at(i / 2).at("lengths").at(i % 2);
      QCOMPARE(entries.at(i).at("tokens"), length.at("tokens"));
      QCOMPARE(entries.at(i).at("lengths").size(), 1U);
      const json& own = entries.at(i).at("lengths").at(0);
      QVERIFY(own.at("targets") == length.at("targets"));
      QVERIFY(std::abs(own.at("nll_sum").get<double>() - length.at("nll_sum").get<double>()) < 1e-2);
    }
  }
  for (const std::size_t text : {0U, 2U})
    QVERIFY(entries.at(text).at("peak_memory_bytes") < entries.at(text + 1).at("peak_memory_bytes"));
}

void ExperimentCommandTest::tables_come_from_the_results_alone() {
  const std::string file = out_ + "/results.json";
  const json results = read_json_file(file);
  QCOMPARE(read_bytes(out_ + "/table.md"), experiment_table(results, TableFormat::Markdown, file));
  QCOMPARE(read_bytes(out_ + "/report.md"), experiment_report(results, file));
  const std::string written = results.dump();
  for (const std::string& folder : {std::string(CARRYOVER_SOURCE_DIR), temp_.path().string()})
    QVERIFY(written.find(folder) == std::string::npos);
  for (const auto& [format, name] :
       {std::pair{"md", "/table.md"}, {"csv", "/table.csv"}, {"tex", "/table.tex"}, {"report", "/report.md"}}) {
    const CliResult result = run_cli({"experiment", "--render", text(file), "--format", format});
    QVERIFY2(result.code == 0, result.err);
    QCOMPARE(result.out.toStdString(), read_bytes(out_ + name));
  }
  fs::remove(out_ + "/table.md");
  const CliResult again = run_cli(experiment(plan_, out_, {"--report"}));
  QVERIFY2(again.code == 0, again.err);
  QCOMPARE(read_bytes(out_ + "/table.md"), experiment_table(results, TableFormat::Markdown, file));
}

/// They say nothing of sinks, and are done all the same.
void ExperimentCommandTest::cells_of_earlier_versions_are_done() {
  const std::string file = out_ + "/results.json", whole = read_bytes(file);
  const std::string id = read_json_file(file).at("runs").at(0).at("texts").at(0).at("cell").get<std::string>();
  const std::string summary = cell_folder(out_, id) + "/summary.json", now = read_bytes(summary);
  json earlier = json::parse(now);
  for (const char* key : {"sinks_lost", "sinks_lost_share"}) QCOMPARE(earlier.erase(key), 1U);
  write_bytes(summary, earlier.dump());
  const CliResult again = run_cli(experiment(plan_, out_, {"--report"}));
  QVERIFY2(again.code == 0, again.err);
  json wanted = json::parse(whole);
  QCOMPARE(wanted["runs"][0]["texts"][0].erase("sinks_lost_share"), 1U);
  QCOMPARE(read_json_file(file), wanted);
  QCOMPARE(json::parse(read_bytes(summary)), earlier);  // it was not run again
  const std::string table = read_bytes(out_ + "/table.md");
  QVERIFY2(table.find("| sinks lost |") != std::string::npos, table.c_str());
  write_bytes(summary, now);
  QCOMPARE(run_cli(experiment(plan_, out_, {"--report"})).code, 0);
  QCOMPARE(read_bytes(file), whole);
}

void ExperimentCommandTest::what_is_done_is_not_made_again() {
  const std::string before = read_bytes(out_ + "/results.json");
  std::map<std::string, fs::file_time_type> written;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(out_ + "/cells"))
    if (entry.is_regular_file()) written[entry.path().string()] = entry.last_write_time();
  const CliResult result = run_cli(experiment(plan_, out_));
  QVERIFY2(result.code == 0, result.err);
  QVERIFY(written.size() > 100);
  for (const auto& [path, time] : written) QVERIFY2(fs::last_write_time(path) == time, path.c_str());
  QCOMPARE(read_bytes(out_ + "/results.json"), before);  // to the last byte
}

/// Killed in evaluations, in a training after a checkpoint, and in evaluations of what it trained.
void ExperimentCommandTest::kills_change_nothing() {
  const std::string out = temp_.file("killed");
  std::mt19937 random(5);
  const auto running = [&]() -> std::optional<CellState> {
    if (!fs::exists(out + "/experiment.json")) return std::nullopt;
    for (const CellState& cell : read_experiment_state(out).cells)
      if (cell.status == CellStatus::Running) return cell;
    return std::nullopt;
  };
  std::set<std::int64_t> resumed_from;
  for (const char* in : {"base", "base", "training", "training", "training", "all"}) {
    const auto is_due = [&] {
      const auto cell = running();
      if (!cell) return false;
      if (in != std::string("training")) return !cell->training && cell->recipe == in;
      const std::string folder = cell_folder(out, cell->id);
      if (!cell->training || !fs::exists(folder + "/metrics.jsonl")) return false;  // behind config.json
      const auto step = std::ssize(read_training_folder(folder).steps);
      return step > 2 && resumed_from.insert(step).second;
    };
    if (fs::exists(out + "/experiment.json")) {  // what the last kill left running is not running
      ExperimentState state = read_experiment_state(out);
      for (CellState& cell : state.cells)
        if (cell.status == CellStatus::Running) cell.status = CellStatus::Pending;
      write_experiment_state(out, state);
    }
    QProcess process;
    prepare_cli(process, experiment(plan_, out));
    process.start();
    QVERIFY2(QTest::qWaitFor(is_due, 120000), in);
    QThread::usleep(random() % 20000);
    process.kill();
    process.waitForFinished();
    QVERIFY(process.exitStatus() == QProcess::CrashExit);
  }
  const CliResult result = run_cli(experiment(plan_, out));
  QVERIFY2(result.code == 0, result.err);
  QVERIFY(numbers_of(out) == numbers_of(out_));
}

void ExperimentCommandTest::ctrl_c_saves_and_the_same_command_continues() {
  json plan = short_plan();
  plan["recipes"]["all"]["max_steps"] = 100000;
  plan["recipes"]["all"]["save_steps"] = 0;
  plan["recipes"].erase("base");
  write_bytes(temp_.file("long.json"), plan.dump());
  const std::string out = temp_.file("stopped");
  std::ptrdiff_t steps = 0;
  for (int time = 0; time < 2; ++time) {
    QProcess process;
    prepare_cli(process, experiment(temp_.file("long.json"), out));
    process.start();
    const auto has_trained = [&] {
      if (!fs::exists(out + "/experiment.json")) return false;
      const std::string folder = cell_folder(out, read_experiment_state(out).cells.front().id);
      return fs::exists(folder + "/metrics.jsonl") && std::ssize(read_training_folder(folder).steps) > steps + 1;
    };
    QVERIFY(QTest::qWaitFor(has_trained, 120000));
    QCOMPARE(kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
    const CliResult stopped = finish_cli(process);
    QVERIFY2(stopped.code == 130, qPrintable(QString::number(stopped.code) + stopped.err));
    const ExperimentState state = read_experiment_state(out);
    QVERIFY(state.status == CellStatus::Pending && state.count(CellStatus::Running) == 0);
    QVERIFY(state.cells.front().training && state.cells.front().status == CellStatus::Pending);
    const StoredTraining training = read_training_folder(cell_folder(out, state.cells.front().id));
    QVERIFY(!training.checkpoints.empty() && training.final_folder.empty());
    QVERIFY(std::ssize(training.steps) > steps);  // the second one went on after the first one's
    QCOMPARE(training.steps.back().step, std::ssize(training.steps));
    steps = std::ssize(training.steps);
  }
}

void ExperimentCommandTest::a_damaged_cell_is_made_again() {
  const std::string out = temp_.file("damaged");
  fs::copy(out_, out, fs::copy_options::recursive);
  const ExperimentState state = read_experiment_state(out);
  const auto damage = [&](const char* recipe, const char* evaluation, const auto& how) {
    for (const CellState& cell : state.cells)
      if (cell.recipe == recipe && cell.evaluation == evaluation && cell.text.ends_with("1.txt"))
        how(cell_folder(out, cell.id));
  };
  damage("base", "none", [](const std::string& folder) { fs::remove(folder + "/summary.json"); });
  damage("base", "full", [](const std::string& folder) { write_bytes(folder + "/nll.json", "[1, 2"); });
  damage("all", "none", [](const std::string& folder) { write_bytes(folder + "/nll.json", "[1, 2]"); });
  damage("all", "full", [](const std::string& folder) { fs::remove_all(folder); });
  const CliResult result = run_cli(experiment(plan_, out));
  QVERIFY2(result.code == 0, result.err);
  QVERIFY(numbers_of(out) == numbers_of(out_));

  damage("lora", "none", [](const std::string& folder) {  // of other inputs than its name says: nothing is believed
    write_bytes(folder + "/cell.json", R"({"inputs": {"kind": "evaluation"}})");
  });
  const CliResult refused = run_cli(experiment(plan_, out));
  QVERIFY2(refused.code == 1, refused.err);
  for (const CellState& cell : read_experiment_state(out).cells)
    QCOMPARE(cell.error.find("was made from other inputs") != std::string::npos,
             cell.recipe == "lora" && cell.evaluation == "none" && cell.text.ends_with("1.txt"));
}

void ExperimentCommandTest::one_process_at_a_time() {
  const FolderLock lock(out_);
  const CliResult result = run_cli(experiment(plan_, out_));
  QCOMPARE(result.code, 2);
  QVERIFY2(result.err.contains("another process writes into this folder"), result.err);
}

void ExperimentCommandTest::a_cell_that_fails_leaves_the_others() {
  json plan = short_plan();
  write_bytes(temp_.file("short.txt"), "Who is May? May Snow.");
  plan["texts"].push_back(temp_.file("short.txt"));
  plan["recipes"]["diverges"] = plan["recipes"]["all"];
  plan["recipes"]["diverges"]["learning_rate"] = 1e30;  // no loss is a number from the second step on
  plan["recipes"].erase("lora");
  plan["evaluations"] = {{"none", plan["evaluations"]["none"]}};
  plan["comparisons"] = json::array();
  write_bytes(temp_.file("failing.json"), plan.dump());
  const std::string out = temp_.file("failing");
  const CliResult result = run_cli(experiment(temp_.file("failing.json"), out));
  QVERIFY2(result.code == 1, result.err);
  const ExperimentState state = read_experiment_state(out);
  QVERIFY(state.status == CellStatus::Failed);
  for (const CellState& cell : state.cells) {
    const bool fails = cell.recipe == "diverges" || cell.text == "short.txt";
    QVERIFY2((cell.status == CellStatus::Failed) == fails, (cell.recipe + cell.text + cell.error).c_str());
    QCOMPARE(cell.error.empty(), !fails);
    if (cell.training && fails)
      QVERIFY2(cell.error.find("ended by an alert at step") != std::string::npos, cell.error.c_str());
  }
  QCOMPARE(read_json_file(out + "/results.json").at("runs").size(), 2U);
}

void ExperimentCommandTest::some_recipes_alone() {
  const std::string out = temp_.file("some");
  const CliResult result = run_cli(experiment(plan_, out, {"--only", "base", "--json"}));
  QVERIFY2(result.code == 0, result.err);
  QCOMPARE(json_of(result).at("done"), 8);
  QCOMPARE(json_of(result).at("cells"), 26);
  const json results = read_json_file(out + "/results.json");
  QVERIFY(results.at("runs").size() == 4 && results.at("recipes").size() == 3);
  QCOMPARE(results.at("unfinished_cells"), 18);
  const ExperimentState state = read_experiment_state(out);
  QVERIFY(state.status == CellStatus::Pending && state.command);
  QVERIFY(state.command->plan == plan_ && state.command->overrides.only == std::vector<std::string>{"base"});
}

/// A training of which one evaluation is missing is made again, with all of its evaluations: its weights are not there.
void ExperimentCommandTest::cells_of_earlier_results_are_taken() {
  json earlier = read_json_file(out_ + "/results.json");
  earlier["environment"]["processor"] = "another processor";
  for (json& run : earlier["runs"])
    if (run["recipe"] == "all" && run["evaluation"] == "none") run["texts"].erase(0);
  write_bytes(temp_.file("earlier.json"), earlier.dump());
  const QStringList from{"--from", text(temp_.file("earlier.json"))};
  const std::string out = temp_.file("from");
  const CliResult forecast = run_cli(experiment(plan_, out, from + QStringList{"--dry-run"}));
  QVERIFY2(forecast.out.contains("9 of 26 cells to run: about "), forecast.err + forecast.out);
  const CliResult some = run_cli(experiment(plan_, out, from + QStringList{"--only", "base"}));
  QVERIFY2(some.out.contains("17 of 26 cells are done"), some.err + some.out);
  QVERIFY(fs::is_empty(out + "/cells"));
  const CliResult result = run_cli(experiment(plan_, out));  // remembers what it was given
  QVERIFY2(result.out.contains("26 of 26 cells are done"), result.err + result.out);

  const ExperimentState state = read_experiment_state(out);
  for (const CellState& cell : state.cells) QCOMPARE(fs::exists(cell_folder(out, cell.id)), cell.recipe == "all");
  json taken = numbers_of(out), undisturbed = numbers_of(out_);
  std::size_t from_elsewhere = 0;
  const auto erase_maker = [&](json& entry) {
    if (!entry.contains("made_by")) return;
    QCOMPARE(entry["made_by"]["processor"], "another processor");
    from_elsewhere += entry.erase("made_by");
  };
  for (json& training : taken["trainings"]) erase_maker(training);
  for (json& run : taken["runs"])
    for (json& text : run["texts"]) erase_maker(text);
  QCOMPARE(from_elsewhere, 17U);
  QCOMPARE(taken["runs"], undisturbed["runs"]);
  QCOMPARE(taken["trainings"], undisturbed["trainings"]);
  const QString report = text(read_bytes(out + "/report.md")).simplified();
  QVERIFY2(report.contains("17 cells on another processor"), report.toUtf8());
}

void ExperimentCommandTest::crafted_earlier_results_are_refused() {
  const json whole = read_json_file(out_ + "/results.json");
  const auto refused = [&](const auto& spoil) {
    json results = whole;
    spoil(results);
    write_bytes(temp_.file("crafted.json"), results.dump());
    const CliResult result = run_cli(
        experiment(plan_, temp_.file("crafted"), {"--from", text(temp_.file("crafted.json")), "--only", "base"}));
    return result.code == 3 && result.err.contains("crafted.json") && !result.err.contains("bug");
  };
  QVERIFY(refused([](json& results) { results = json::array(); }));
  QVERIFY(refused([](json& results) { results["runs"][0]["texts"][0].erase("cell"); }));
  QVERIFY(refused([](json& results) { results["runs"][0]["texts"][0]["cell"] = 7; }));
  QVERIFY(refused([](json& results) { results["runs"][0]["texts"][0]["nll_sum"] = "much"; }));
  QVERIFY(refused([](json& results) { results["runs"][0]["texts"][0]["lengths"] = {{{"tokens", "all"}}}; }));
  QVERIFY(refused([](json& results) { results["trainings"][0]["made_by"] = "me"; }));
  QVERIFY(refused([](json& results) { results["trainings"][0]["seconds"] = -1e300; }));
  const CliResult nowhere = run_cli(experiment(plan_, temp_.file("crafted"), {"--from", text(temp_.file("no.json"))}));
  QVERIFY2(nowhere.code == 5 && nowhere.err.contains("no.json"), nowhere.err);
}

void ExperimentCommandTest::a_dry_run_writes_nothing() {
  const std::string out = temp_.file("dry");
  const CliResult result = run_cli(experiment(plan_, out, {"--dry-run"}));
  QVERIFY2(result.code == 0, result.err);
  QVERIFY2(result.out.contains("26 of 26 cells to run: about ") && result.out.contains("all, seed 1: training"),
           result.out);
  QVERIFY(!fs::exists(out));
  QCOMPARE(run_cli({"experiment", text(temp_.file("nowhere.json"))}).code, 5);
  QCOMPARE(run_cli({"experiment"}).code, 2);
  QCOMPARE(run_cli(experiment(plan_, out, {"--model", "demo"})).code, 2);
  QCOMPARE(run_cli(experiment(plan_, out, {"--model", "nobody=x"})).code, 2);
  QCOMPARE(run_cli(experiment(plan_, out, {"--model", "demo=/nowhere"})).code, 5);
}

static const TestFile these_tests{__FILE__, with_event_loop<ExperimentCommandTest>};
#include "experiment_command_test.moc"
