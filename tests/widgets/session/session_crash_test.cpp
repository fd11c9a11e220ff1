// SPDX-License-Identifier: GPL-3.0-or-later
// A window's process that is killed, whatever it is at, loses nothing but the last seconds.
#include <QApplication>
#include <QDir>
#include <QProcess>
#include <QTest>

#include "app/saved_window/session_keeper.h"
#include "engine/runs/records/run_journal.h"
#include "tests/support/demo_window.h"
#include "tests/support/gui_test.h"
#include "tests/support/temp_dir.h"
#include "tests/support/window_process.h"
#include "widgets/lab/notebook.h"

using namespace carryover;
using namespace carryover::test;

class SessionCrashTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void killed_while_it_runs_it_comes_back_with_the_segments_that_were_done() {
    const TempDir home;
    const QString model = QString::fromStdString(home.file("model"));
    QDir().mkpath(model);
    copy_demo(model);
    const QString text = QString::fromStdString(home.file("long.txt"));
    QByteArray contents;
    for (const QByteArray demo = QByteArray::fromStdString(read_bytes((model + "/text.txt").toStdString()));
         contents.size() < 3'000'000;)
      contents += demo;
    write_bytes(text.toStdString(), contents.toStdString());
    Program program(home, {"--no-fetch", "--tokens", "0", model, text});
    QTRY_VERIFY_WITH_TIMEOUT(journaled_segments(home) >= 3, patience_ms);
    QVERIFY(program.process.state() == QProcess::Running);
    program.kill();
    const int done = journaled_segments(home);
    QVERIFY(done >= 3);

    MainWindow window;
    QStringList notes;
    connect(&window.lab().context, &LabContext::noted, this, [&](const QString& note, bool) { notes += note; });
    SessionKeeper keeper(window, sessions(home));
    window.show();
    QSignalSpy opened(&keeper, &SessionKeeper::session_opened);
    QVERIFY(keeper.begin(true));
    QVERIFY(opened.wait(patience_ms));
    const RunModel& run = window.lab().context.run();
    QCOMPARE(static_cast<std::size_t>(run.segment_count()), done);
    QVERIFY(run.segment_count() < run.expected_segments());
    QVERIFY(run.summary().cancelled);
    QCOMPARE(window.lab().loader.text()->name, text);
    QCOMPARE(QString::fromStdString(window.lab().loader.model()->info.path), model);
    QCOMPARE(notes.filter("ended unexpectedly").size(), 1);
    QCOMPARE(notes.filter("interrupted").size(), 1);
    QVERIFY(window.lab().runs.can_run());
  }

  void killed_at_any_moment_what_it_kept_reads() {
    const TempDir home;
    const QString model = QString::fromStdString(home.file("model"));
    QDir().mkpath(model);
    copy_demo(model);
    for (int i = 0; i < 6; ++i) {
      // The first start opens a model; the later ones bring back what the killed one before them showed.
      Program program(home, i == 0 ? QStringList{"--no-fetch", model, model + "/text.txt"} : QStringList{"--no-fetch"});
      if (i == 0) QTRY_VERIFY_WITH_TIMEOUT(journaled_segments(home) > 0, patience_ms);
      QTest::qWait(150 * i);
      QVERIFY2(program.process.state() == QProcess::Running, program.process.readAllStandardError().constData());
      program.kill();
      const auto state = kept(home);
      QVERIFY(state);
      QCOMPARE(state->model, model);
      QVERIFY(!state->closed);
      QVERIFY(journaled_segments(home) > 0);
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<SessionCrashTest>};
#include "session_crash_test.moc"
