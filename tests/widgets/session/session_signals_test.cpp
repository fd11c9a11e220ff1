// SPDX-License-Identifier: GPL-3.0-or-later
// A window's process that gets SIGTERM, SIGHUP or SIGINT ends as if it had been closed: what it shows is kept, a
// training saves a checkpoint of its last step.
#include <signal.h>

#include <QApplication>
#include <QDataStream>
#include <QRect>
#include <QTest>

#include "engine/training/records/training_folder.h"
#include "tests/support/demo_window.h"
#include "tests/support/gui_test.h"
#include "tests/support/window_process.h"

using namespace carryover;
using namespace carryover::test;

namespace {

void ends_by(QProcess& process, int number) {
  QCOMPARE(::kill(static_cast<pid_t>(process.processId()), number), 0);
  QVERIFY(process.waitForFinished(patience_ms));
  QVERIFY2(process.exitStatus() == QProcess::NormalExit, process.readAllStandardError().constData());
  QCOMPARE(process.exitCode(), 128 + number);
}

/// Returns the size of the window in the result of QWidget::saveGeometry().
QSize size_in(const QByteArray& geometry) {
  QDataStream stream(geometry);
  stream.setVersion(QDataStream::Qt_4_0);
  quint32 magic = 0;
  quint16 major = 0, minor = 0;
  QRect frame, normal;
  stream >> magic >> major >> minor >> frame >> normal;
  return normal.size();
}

void signal_rows() {
  QTest::addColumn<int>("number");
  QTest::newRow("SIGTERM") << SIGTERM;
  QTest::newRow("SIGHUP") << SIGHUP;
  QTest::newRow("SIGINT") << SIGINT;
}

}  // namespace

class SessionSignalsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { fail_on_qt_warnings(); }

  void the_session_is_kept_as_if_it_had_been_closed_data() { signal_rows(); }
  void the_session_is_kept_as_if_it_had_been_closed() {
    QFETCH(int, number);
    const TempDir home;
    const QString demo = QStringLiteral(CARRYOVER_SOURCE_DIR "/resources/demo");
    Program program(home, {"--no-fetch", demo, demo + "/text.txt"});
    QTRY_VERIFY_WITH_TIMEOUT(journaled_segments(home) > 0, patience_ms);
    ends_by(program.process, number);
    const auto state = kept(home);
    QVERIFY(state && state->closed);
    QCOMPARE(state->model, demo);
    QVERIFY(journaled_segments(home) > 0);
  }

  void a_size_that_is_asked_for_wins_over_the_last_one() {
    const TempDir home;
    const QString demo = QStringLiteral(CARRYOVER_SOURCE_DIR "/resources/demo");
    for (const QSize& size : {QSize(1350, 850), QSize(1450, 950)}) {
      QStringList arguments{"--no-fetch", "--size", QStringLiteral("%1x%2").arg(size.width()).arg(size.height())};
      if (!kept(home))
        arguments += QStringList{demo, demo + "/text.txt"};  // the second window shows what the first one did
      Program program(home, arguments);
      QTRY_VERIFY_WITH_TIMEOUT(journaled_segments(home) > 0 && !kept(home)->closed, patience_ms);
      ends_by(program.process, SIGTERM);
      QCOMPARE(size_in(kept(home)->geometry), size);
    }
  }

  void a_training_saves_its_last_step_data() { signal_rows(); }
  void a_training_saves_its_last_step() {
    QFETCH(int, number);
    const TempDir home;
    const std::string folder = home.file("trained");
    write_bytes(home.file("script.txt"),
                "open demo\nfinetune tiny-demo " + folder + " max_steps 100000 save_steps 0\n");
    Program program(home, {"--script", QString::fromStdString(home.file("script.txt"))});
    QTRY_VERIFY2_WITH_TIMEOUT(read_steps(folder) >= 2 || program.process.state() == QProcess::NotRunning,
                              program.process.readAllStandardError().constData(), patience_ms);
    QVERIFY2(program.process.state() == QProcess::Running, program.process.readAllStandardError().constData());
    ends_by(program.process, number);
    const auto checkpoint = TrainingFolder::newest_checkpoint(folder);
    QVERIFY(checkpoint);
    QVERIFY(checkpoint->ends_with("step-" + std::to_string(read_training_folder(folder).steps.back().step)));
  }

  /// nohup: what was ignored before the program began stays ignored.
  void an_ignored_signal_stays_ignored() {
    const TempDir home;
    const QString demo = QStringLiteral(CARRYOVER_SOURCE_DIR "/resources/demo");
    ::signal(SIGHUP, SIG_IGN);
    Program program(home, {"--no-fetch", demo, demo + "/text.txt"});
    QTRY_VERIFY_WITH_TIMEOUT(journaled_segments(home) > 0, patience_ms);
    ::signal(SIGHUP, SIG_DFL);
    QCOMPARE(::kill(static_cast<pid_t>(program.process.processId()), SIGHUP), 0);
    QVERIFY(!program.process.waitForFinished(1000));
    ends_by(program.process, SIGTERM);
  }

 private:
  static std::size_t read_steps(const std::string& folder) {
    const auto read = [&] { return read_training_folder(folder).steps.size(); };
    try {
      return read();
    } catch (const EngineError&) {
      return 0;  // it has not begun
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<SessionSignalsTest>};
#include "session_signals_test.moc"
