// SPDX-License-Identifier: GPL-3.0-or-later
// Fault injection: one read, write, fsync or malloc of a command fails, each in turn. The command then ends as usual:
// with its whole result, or with an error that says what happened, and what it leaves is whole, refused, or gone on
// from to the same result. With CARRYOVER_FAULTS=N each N-th call fails, `./lab faults` all.
#include <QTest>

#include "tests/support/fault_check.h"
#include "tests/support/test_program.h"

using namespace carryover::test;

class FaultsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void each_fault_ends_well_data() {
    QTest::addColumn<QString>("use");
    QTest::addColumn<QString>("kind");
    for (const char* use : kFaultCases)
      for (const char* kind : {"read", "write", "fsync", "malloc"})
        QTest::addRow("%s, %s", use, kind) << QString(use) << QString(kind);
  }

  void each_fault_ends_well() {
    QFETCH(QString, use);
    QFETCH(QString, kind);
    FaultTrial trial(use, kind.toStdString());
    QVERIFY(trial.calls() > 0);
    const long stride = stride_of(kind, trial.calls());
    trial.run(1, stride);
    // Some calls depend on the time of day and on the length of what it takes: one in a thousand.
    QVERIFY(std::abs(trial.done() * stride - trial.calls()) <= stride + trial.calls() / 1000);
    for (const long call : {trial.calls() / 3 + 1, trial.calls()}) trial.run_plainly(call);
    qInfo("%ld of %ld calls failed, each %ld-th", trial.done(), trial.calls(), stride);
    for (const auto& [function, count] : trial.known()) qInfo("%d ended in %s", count, function.c_str());
    for (const std::string& fault : trial.faults()) qWarning("%s", fault.c_str());
    QVERIFY(trial.faults().empty());
  }

 private:
  /// Of the files' calls all; of malloc's, which are a hundred thousand, some dozens.
  static long stride_of(const QString& kind, long calls) {
    const int given = qEnvironmentVariableIntValue("CARRYOVER_FAULTS");
    if (given > 0) return given;
    return kind == "malloc" ? calls / 40 : 1;
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<FaultsTest>};
#include "faults_test.moc"
