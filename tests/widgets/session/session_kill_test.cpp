// SPDX-License-Identifier: GPL-3.0-or-later
// A window's process that is killed in any state: the next one shows what it showed, a training continues from its
// checkpoint, and no engine is left behind. The program starts itself to be the one that is killed.
#include <QApplication>
#include <QFile>
#include <QProcess>
#include <QTest>
#include <QTextStream>

#include "tests/support/gui_test.h"
#include "tests/support/temp_dir.h"
#include "tests/support/window_states.h"

using namespace carryover;
using namespace carryover::test;

namespace {

const QString marker = QStringLiteral("written when the state was reached");

/// The process that is killed runs this: it reaches the state, keeps it, says so, and stays there.
int hold(const QString& state, const QString& home) {
  Someone someone(home);
  someone.keeper.begin(false);
  if (!window_state(state).reach(someone)) return 1;
  someone.lab().notebook().set_text(marker);
  someone.keeper.keep_now();
  const auto kept = [&] {
    const QStringList folders = QDir(home + QStringLiteral("/sessions")).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    const QString file = QStringLiteral("%1/sessions/%2/session.json").arg(home, folders.value(0));
    return QFile::exists(file) && read_session(file).notes == marker;
  };
  if (!wait_for(kept)) return 2;
  QTextStream(stdout) << "ready " << someone.engine << Qt::endl;
  return QApplication::exec();
}

/// Returns true if the process is gone, or is a zombie whose new parent has not asked for its end yet.
bool has_ended(qint64 process) {
  QFile status(QStringLiteral("/proc/%1/stat").arg(process));
  if (!status.open(QIODevice::ReadOnly)) return true;
  const QByteArray text = status.readAll();
  return text.mid(text.lastIndexOf(')') + 2).startsWith('Z');
}

/// Continues the training in `home`, which was killed, in `window`.
void go_on(MainWindow& window, const QString& home) {
  const std::string directory = endless_training(home).output_dir;
  const std::int64_t logged = read_training_folder(directory).steps.back().step;
  TrainingModel* training = window.lab().context.training().current();
  const qint64 saved = QFileInfo(training->checkpoint()).fileName().section('-', -1).toLongLong();
  QVERIFY2(saved >= logged - 2, qPrintable(QString("step %1 of %2").arg(saved).arg(logged)));  // save_steps is 2
  window.lab().training.resume_run(QString::fromStdString(directory));
  const auto goes_on = [&] { return training->step_count() >= static_cast<std::size_t>(saved) + 2; };
  QVERIFY(wait_for(goes_on));
  const auto& steps = training->column(TrainingColumn::Step);
  for (std::size_t i = 0; i < steps.size(); ++i) QCOMPARE(steps[i], static_cast<double>(i + 1));
}

}  // namespace

class SessionKillTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { fail_on_qt_warnings(); }

  void the_next_window_shows_what_the_killed_one_did_data() {
    QTest::addColumn<QString>("state");
    for (const WindowState& state : window_states())
      if (state.when_killed) QTest::newRow(state.name) << QString(state.name);
  }
  void the_next_window_shows_what_the_killed_one_did() {
    QFETCH(QString, state);
    const TempDir folder;
    const QString home = QString::fromStdString(folder.path().string());
    QProcess killed;
    killed.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    killed.start(QCoreApplication::applicationFilePath(), {"session_kill", "--hold", state, home});
    QByteArray said;
    QTRY_VERIFY_WITH_TIMEOUT(
        (said += killed.readAllStandardOutput()).contains('\n') || killed.state() == QProcess::NotRunning, patience_ms);
    QVERIFY2(said.startsWith("ready "), said.constData());
    killed.kill();
    QVERIFY(killed.waitForFinished(patience_ms));
    if (const qint64 engine = said.mid(6).trimmed().toLongLong(); engine > 0)
      QTRY_VERIFY_WITH_TIMEOUT(has_ended(engine), patience_ms);

    Someone someone(home);
    QStringList notes;
    connect(&someone.lab(), &LabContext::noted, this, [&](const QString& note, bool) { notes += note; });
    QVERIFY(bring_back(someone));
    QVERIFY2(window_state(state).came_back(someone.window), qPrintable(notes.join('\n')));
    QCOMPARE(someone.lab().notebook().text(), marker);
    QCOMPARE(notes.filter("ended unexpectedly").size(), 1);
    if (state.startsWith("training")) go_on(someone.window, home);
  }
};

static int hold_or_test(int argc, char** argv) {
  const WindowProcess process(argc, argv);
  const QStringList arguments = QApplication::arguments();
  if (arguments.size() == 4 && arguments[1] == QStringLiteral("--hold")) return hold(arguments[2], arguments[3]);
  return without_application<SessionKillTest>(argc, argv);
}
static const TestFile these_tests{__FILE__, hold_or_test};
#include "session_kill_test.moc"
