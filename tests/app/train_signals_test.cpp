// SPDX-License-Identifier: GPL-3.0-or-later
// Events that end a `carryover-cli train` early: signals, a lost standard error, alerts.
#include <signal.h>

#include <QTest>

#include "engine/training/records/training_folder.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"
#include "tests/support/train_demo.h"

using namespace carryover;
using namespace carryover::test;

class TrainSignalsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { qputenv("CARRYOVER_CACHE", QByteArray::fromStdString(temp_.file("cache"))); }
  void signals_save_and_resume_data();
  void signals_save_and_resume();
  void a_lost_standard_error_loses_no_training();
  void alerts_end_a_run();

 private:
  TempDir temp_;
};

void TrainSignalsTest::signals_save_and_resume_data() {
  QTest::addColumn<int>("signal");
  QTest::newRow("Ctrl-C") << SIGINT;
  QTest::newRow("SIGTERM") << SIGTERM;
  QTest::newRow("the terminal is gone") << SIGHUP;
}

void TrainSignalsTest::signals_save_and_resume() {
  QFETCH(int, signal);
  const TempDir temp;
  QStringList arguments = train_demo({"--output", text(temp.file("run")), "--max-steps", "100000"});
  arguments.removeAll("--quiet");
  QProcess process;
  prepare_cli(process, arguments);
  process.start();
  QByteArray seen;
  process.setReadChannel(QProcess::StandardError);
  while (!seen.contains("step 1") && !seen.contains("step 2") && process.waitForReadyRead(60000))
    seen += process.readAllStandardError();
  QVERIFY2(seen.contains("step "), seen);
  QCOMPARE(kill(static_cast<pid_t>(process.processId()), signal), 0);
  const CliResult result = finish_cli(process);
  QVERIFY2(result.code == 130, result.err);
  QVERIFY2(result.out.contains("(stopped)"), result.out);
  const StoredTraining run = read_training_folder(temp.file("run"));
  QVERIFY(!run.steps.empty() && run.final_folder.empty() && !run.checkpoints.empty());
  const QString more = QString::number(run.steps.size() + 1);
  const CliResult resumed = run_cli({"train", "--resume", text(temp.file("run")), "--max-steps", more, "--quiet"});
  QVERIFY2(resumed.code == 0, resumed.err);
  QCOMPARE(read_training_folder(temp.file("run")).steps.size(), run.steps.size() + 1);
}

/// Closed from the start, and a pipe whose reader is gone: the run continues, and no message lands in its files.
void TrainSignalsTest::a_lost_standard_error_loses_no_training() {
  const TempDir temp;
  for (const char* redirection : {"2>&-", "2>&1 >/dev/null | true"}) {
    const std::string folder = temp.file(redirection[2] == '&' && redirection[3] == '-' ? "closed" : "pipe");
    QStringList arguments = train_demo({"--output", text(folder), "--max-steps", "3"});
    arguments.removeAll("--quiet");
    QStringList words{QStringLiteral(CARRYOVER_BINARY_DIR "/bin/carryover-cli")};
    for (const QString& argument : arguments) words += argument;
    for (QString& word : words) word = QStringLiteral("'%1'").arg(word);
    QProcess shell;
    shell.start("/bin/bash",
                {"-c", QStringLiteral("set -o pipefail; %1 %2").arg(words.join(' '), QLatin1String(redirection))});
    const CliResult result = finish_cli(shell);
    QVERIFY2(result.code == 0, qPrintable(QStringLiteral("%1: %2").arg(redirection).arg(result.code)));
    const StoredTraining run = read_training_folder(folder);
    QVERIFY(run.steps.size() == 3 && !run.final_folder.empty());
  }
}

/// A rate that blows the weights up: nobody can resume a paused run here, so it ends with a checkpoint.
void TrainSignalsTest::alerts_end_a_run() {
  const TempDir temp;
  for (const char* policy : {"pause", "stop"}) {
    const std::string folder = temp.file(policy);
    QStringList arguments =
        train_demo({"--output", text(folder), "--max-steps", "20", "--learning-rate", "1e30", "--on-alert", policy});
    arguments.removeAll("--quiet");
    const CliResult result = run_cli(arguments);
    QVERIFY2(result.code == 1 && result.err.contains("alert at step"), result.err);
    QVERIFY2(result.err.contains("The gradient of the loss is not a number"), result.err);
    const StoredTraining run = read_training_folder(folder);
    QVERIFY(run.steps.size() < 20 && run.checkpoints.size() == 1);
  }
  const CliResult skipping = run_cli(train_demo(
      {"--output", text(temp.file("skip")), "--max-steps", "4", "--learning-rate", "1e30", "--on-alert", "skip"}));
  QVERIFY2(skipping.code == 0, skipping.err);
  const StoredTraining run = read_training_folder(temp.file("skip"));
  QVERIFY(run.steps.size() == 4 && run.steps.back().skipped && !run.steps.front().skipped);
}

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<TrainSignalsTest>};
#include "train_signals_test.moc"
