// SPDX-License-Identifier: GPL-3.0-or-later
// Fault injection: one read, write, fsync or malloc of a command fails, each in turn. The command then ends as usual:
// with its whole result, or with an error that says what happened, and what it leaves is whole, refused, or gone on
// from to the same result. With CARRYOVER_FAULTS=N each N-th call fails, with I/N from the I-th on: N parts make a
// whole.
// `./lab faults` takes all calls.
#include <QTest>

#include "tests/support/faults/fault_check.h"
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
    // Nothing frees space during this test, so a training that meets a full disk must not wait.
    const bool trains = use == "train" || use == "resume";
    FaultTrial trial(use, kind.toStdString(), trains ? QStringList{"--wait-for-disk", "0"} : QStringList{});
    QVERIFY(trial.calls() > 0);
    const auto [first, stride] = part_of(kind, trial.calls());
    QVERIFY(first >= 1 && first <= stride);
    trial.run(first, stride);
    // Some calls depend on the time of day and on the length of what it takes: one in a thousand.
    QVERIFY(std::abs(trial.done() * stride - trial.calls()) <= stride + trial.calls() / 1000);
    for (const long call : {trial.calls() / 3 + 1, trial.calls()}) trial.run_plainly(call);
    qInfo("%ld of %ld calls failed, each %ld-th from the %ld-th on", trial.done(), trial.calls(), stride, first);
    for (const auto& [function, count] : trial.known()) qInfo("%d ended in %s", count, function.c_str());
    for (const std::string& fault : trial.faults()) qWarning("%s", fault.c_str());
    QVERIFY(trial.faults().empty());
  }

 private:
  struct Part {
    long first = 1, stride = 1;
  };

  /// Returns which calls fail: every call that reads or writes files, but only some dozens of malloc's, of which there
  /// are a hundred thousand.
  static Part part_of(const QString& kind, long calls) {
    const QString given = qEnvironmentVariable("CARRYOVER_FAULTS");
    const long stride = given.section('/', -1).toLong();
    if (stride > 0) return {given.contains('/') ? given.section('/', 0, 0).toLong() : 1, stride};
    return {1, kind == "malloc" ? calls / 40 : 1};
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<FaultsTest>};
#include "faults_test.moc"
