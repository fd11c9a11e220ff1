// SPDX-License-Identifier: GPL-3.0-or-later
// A training process that is killed, or that runs out of disk or memory, loses nothing: what it resumes from is whole,
// and it ends with the weights of a run that nothing disturbed, bit for bit.
#include <sys/resource.h>

#include <QElapsedTimer>
#include <QFile>
#include <QTest>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "engine/training/records/training_folder.h"
#include "tests/support/cli_process.h"
#include "tests/support/faults/fault_check.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
namespace fs = std::filesystem;

namespace {

QStringList training(const std::string& output, int steps) {
  return {"train",
          demo_model(),
          "--data",
          demo_text(),
          "--output",
          text(output),
          "--dtype",
          "fp32",
          "--threads",
          "1",
          "--segment-length",
          "48",
          "--carry-length",
          "12",
          "--retrieval-length",
          "12",
          "--max-steps",
          QString::number(steps),
          "--gradient-accumulation-steps",
          "2",
          "--save-steps",
          "2",
          "--learning-rate",
          "1e-3",
          "--warmup-steps",
          "2",
          "--quiet"};
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The results of a finished run that must not depend on how it got there.
struct Outcome {
  std::string weights;
  std::vector<double> losses;
  bool operator==(const Outcome&) const = default;
};

Outcome outcome(const std::string& directory) {
  Outcome result{contents(directory + "/final/model.safetensors"), {}};
  for (const StepRecord& record : read_training_folder(directory).steps) result.losses.push_back(record.loss);
  return result;
}

}  // namespace

class TrainCrashTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void thirty_kills_change_nothing() {
    const TempDir temp;
    const std::string undisturbed = temp.file("undisturbed");
    QElapsedTimer clock;
    clock.start();
    const CliResult whole = run_cli(training(undisturbed, kSteps));
    QVERIFY2(whole.code == 0, whole.err.constData());
    auto duration = static_cast<int>(clock.elapsed());
    const Outcome expected = outcome(undisturbed);
    QCOMPARE(expected.losses.size(), std::size_t{kSteps});
    QVERIFY(!expected.weights.empty());

    std::mt19937 random(4);
    int killed = 0;
    for (int i = 0; killed < 30; ++i) {
      QVERIFY(i < 90);
      const std::string directory = temp.file("run" + std::to_string(i));
      QProcess process;
      prepare_cli(process, training(directory, kSteps));
      process.start();
      clock.restart();
      process.waitForFinished(std::uniform_int_distribution<int>(duration / 8, duration)(random));
      const bool running = process.state() != QProcess::NotRunning;
      killed += running;
      if (!running) duration = std::max(8, std::min(duration, static_cast<int>(clock.elapsed())));
      process.kill();
      process.waitForFinished();
      const bool begun = fs::exists(directory + "/config.json");
      const CliResult again =
          run_cli(begun ? QStringList{"train", "--resume", text(directory), "--threads", "1", "--quiet"}
                        : training(directory, kSteps));
      QVERIFY2(again.code == 0, again.err.constData());
      QVERIFY2(outcome(directory) == expected, qPrintable(QString("run %1 ended otherwise").arg(i)));
      fs::remove_all(directory);
    }
  }

  void a_full_disk_leaves_whole_checkpoints() {
    const TempDir temp;
    const std::string directory = temp.file("run");
    QVERIFY(run_cli(training(directory, 2)).code == 0);
    const std::string before = *TrainingFolder::newest_checkpoint(directory);
    const std::string weights = contents(before + "/model.safetensors");
    QStringList longer{"train", "--resume", text(directory), "--max-steps", "6", "--threads", "1", "--quiet"};
    const CliResult full = run_cli(longer, {}, static_cast<std::int64_t>(weights.size()) / 2);
    QCOMPARE(full.code, 5);
    QVERIFY2(full.err.contains("allowed here") && full.err.contains("another disk"), full.err.constData());
    QCOMPARE(*TrainingFolder::newest_checkpoint(directory), before);
    QVERIFY(contents(before + "/model.safetensors") == weights);
    QVERIFY(run_cli(longer).code == 0);
    QCOMPARE(read_training_folder(directory).steps.size(), std::size_t{6});
  }

  /// A write finds no room once: training waits, tries again, and ends as if nothing had been.
  void a_full_disk_is_waited_for() {
    FaultTrial trial(QStringLiteral("train"), "write");
    for (const long call : {trial.calls() / 2, trial.calls() - 4}) {
      const FaultOutcome outcome = trial.outcome_of(call);
      QVERIFY2(outcome.status == 0, outcome.err.c_str());
      QVERIFY2(outcome.err.find("the disk is full; training waits and keeps its steps in memory. Free some space on "
                                "it. It tries again every 10 s and on SIGCONT, for 10 min 0 s.\n") != std::string::npos,
               outcome.err.c_str());
      QVERIFY2(outcome.err.find("The disk has room again.\n") != std::string::npos, outcome.err.c_str());
    }
    QVERIFY(trial.faults().empty());
  }

  void without_patience_a_full_disk_ends_a_training_with_its_steps_saved() {
    FaultTrial trial(QStringLiteral("train"), "write", {"--wait-for-disk", "0"});
    const FaultOutcome outcome = trial.outcome_of(trial.calls() / 2);
    QVERIFY2(WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == 5, outcome.err.c_str());
    QVERIFY2(outcome.err.find("carryover: out: the disk was full; a checkpoint has all steps") != std::string::npos,
             outcome.err.c_str());
    QVERIFY(trial.faults().empty());
  }

  void a_memory_limit_stops_cleanly() {
    const TempDir temp;
    const std::string directory = temp.file("run");
    QStringList arguments = training(directory, 400);
    QProcess process;
    prepare_cli(process, arguments);
    process.start();
    while (!TrainingFolder::newest_checkpoint(directory)) {
      QVERIFY(process.state() != QProcess::NotRunning);
      QTest::qWait(20);
    }
    // From now on the process gets no memory beyond what it has mapped.
    const auto pid = static_cast<pid_t>(process.processId());
    std::ifstream status("/proc/" + std::to_string(pid) + "/statm");
    std::uint64_t pages = 0;
    status >> pages;
    const rlimit limit{pages * 4096, pages * 4096};
    QCOMPARE(prlimit(pid, RLIMIT_AS, &limit, nullptr), 0);
    const CliResult starved = finish_cli(process);
    if (starved.code == 0) QSKIP("it had all the memory that it needs");
    QVERIFY2(starved.code == 6, starved.err.constData());
    QVERIFY2(starved.err.contains("memory"), starved.err.constData());
    const std::size_t steps = read_training_folder(directory).steps.size();
    const CliResult again = run_cli(
        {"train", "--resume", text(directory), "--max-steps", QString::number(steps + 2), "--threads", "1", "--quiet"});
    QVERIFY2(again.code == 0, again.err.constData());
    QCOMPARE(read_training_folder(directory).steps.size(), steps + 2);
  }

 private:
  static constexpr int kSteps = 9;
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<TrainCrashTest>};
#include "train_crash_test.moc"
