// SPDX-License-Identifier: GPL-3.0-or-later
// A window that is closed in any state: it goes, nothing of it stays, and the next one shows what it showed.
#include <sys/wait.h>

#include <QApplication>
#include <QDir>
#include <QMessageBox>
#include <QPushButton>
#include <QRegularExpression>
#include <QTest>
#include <cerrno>

#include "tests/support/gui_test.h"
#include "tests/support/temp_dir.h"
#include "tests/support/window_states.h"

using namespace carryover;
using namespace carryover::test;

namespace {

/// Names of this process's threads, but for Qt's own pool, which comes and goes.
QStringList threads() {
  QStringList names;
  for (const QString& id : QDir(QStringLiteral("/proc/self/task")).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
    QFile name(QStringLiteral("/proc/self/task/%1/comm").arg(id));
    if (name.open(QIODevice::ReadOnly)) names += QString::fromUtf8(name.readAll()).trimmed();
  }
  names.removeAll(QStringLiteral("Thread (pooled)"));
  return names;
}

/// Returns the threads that only we name so: LibTorch's threads, which the engine starts, have the engine's name too.
QStringList own_threads() {
  return threads().filter(QRegularExpression(QStringLiteral("^(folders|session writer)")));
}

bool has_children() {
  return ::waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD;
}

/// Notes the objects that get timer events while it exists.
class TimerWatch : public QObject {
 public:
  TimerWatch() { qApp->installEventFilter(this); }
  QStringList seen;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    const QString name = QString::fromLatin1(watched->metaObject()->className());
    if (event->type() == QEvent::Timer && name != QStringLiteral("QPMCache")) seen += name;  // Qt's cache of pixmaps
    return false;
  }
};

void expect_nothing_left(int threads_before) {
  QVERIFY(QApplication::topLevelWidgets().isEmpty());
  QTRY_VERIFY2_WITH_TIMEOUT(own_threads().isEmpty(), qPrintable(own_threads().join(", ")), patience_ms);
  QTRY_VERIFY2_WITH_TIMEOUT(threads().size() <= threads_before, qPrintable(threads().join(", ")), patience_ms);
  QVERIFY(!has_children());
  TimerWatch timers;
  QTest::qWait(150);
  QVERIFY2(timers.seen.isEmpty(), qPrintable(timers.seen.join(", ")));
}

}  // namespace

class SessionCloseTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// LibTorch starts its threads when they are first needed, and keeps them.
  void initTestCase() {
    QApplication::setQuitOnLastWindowClosed(false);
    const TempDir folder;
    Someone someone(QString::fromStdString(folder.path().string()));
    QVERIFY(train(someone));
  }
  void init() {
    fail_on_qt_warnings();
    QTRY_VERIFY_WITH_TIMEOUT(own_threads().isEmpty(), patience_ms);
    threads_before_ = static_cast<int>(threads().size());
    folder_ = std::make_unique<TempDir>();
    home_ = QString::fromStdString(folder_->path().string());
  }

  void it_goes_and_comes_back_data() {
    QTest::addColumn<QString>("state");
    for (const WindowState& state : window_states()) QTest::newRow(state.name) << QString(state.name);
  }
  void it_goes_and_comes_back() {
    QFETCH(QString, state);
    {
      Someone someone(home_);
      someone.keeper.begin(false);
      QVERIFY(window_state(state).reach(someone));
      someone.lab().notebook().set_text(state);
      QVERIFY(someone.window.close());
      QVERIFY(someone.window.isHidden());
    }
    expect_nothing_left(threads_before_);
    Someone someone(home_);
    QStringList notes;
    connect(&someone.lab(), &LabContext::noted, this, [&](const QString& note, bool) { notes += note; });
    QVERIFY(bring_back(someone));
    QVERIFY2(window_state(state).came_back(someone.window), qPrintable(notes.join('\n')));
    QCOMPARE(someone.lab().notebook().text(), state);
    QVERIFY(notes.filter("ended unexpectedly").isEmpty());
  }

  void the_question_is_answered_while_a_run_goes_on_data() {
    QTest::addColumn<int>("answer");
    QTest::newRow("save") << static_cast<int>(QMessageBox::Save);
    QTest::newRow("discard") << static_cast<int>(QMessageBox::Discard);
    QTest::newRow("cancel") << static_cast<int>(QMessageBox::Cancel);
  }
  void the_question_is_answered_while_a_run_goes_on() {
    QFETCH(int, answer);
    const QString file = home_ + QStringLiteral("/study.carryover");
    {
      Someone someone(home_);
      someone.keeper.begin(false);
      QVERIFY(open_and_wait(someone, 1500));
      QSignalSpy saved(&someone.keeper, &SessionKeeper::session_saved);
      someone.keeper.save_session(file);
      QVERIFY(saved.wait(patience_ms));
      QVERIFY(run_and_pause(someone));
      someone.lab().notebook().set_text("after it was saved");
      QVERIFY(!someone.window.close());
      auto* box = someone.window.findChild<QMessageBox*>();
      QVERIFY(box != nullptr);
      box->button(static_cast<QMessageBox::StandardButton>(answer))->click();
      QTRY_VERIFY(someone.window.findChild<QMessageBox*>() == nullptr);
      QTRY_COMPARE_WITH_TIMEOUT(someone.window.isHidden(), answer != QMessageBox::Cancel, patience_ms);
      if (answer == QMessageBox::Cancel) QVERIFY(someone.window.lab().runs.engine_paused());
    }
    expect_nothing_left(threads_before_);
    const SessionState stored = read_session(file);
    QCOMPARE(stored.notes, QString(answer == QMessageBox::Save ? "after it was saved" : ""));
    if (answer == QMessageBox::Save) QCOMPARE(read_run_journal(stored.run.toStdString()).contents.segments->count(), 2);
    Someone someone(home_);
    QVERIFY(bring_back(someone));  // what the file lacks is kept all the same
    QCOMPARE(someone.lab().notebook().text(), QString("after it was saved"));
    QVERIFY(shows_two_segments(someone.window));
    QCOMPARE(someone.keeper.session_file(), file);
    QVERIFY(someone.keeper.has_unsaved_work() || answer == QMessageBox::Save);
  }

  void closed_while_it_comes_back_it_comes_back_again() {
    {
      Someone someone(home_);
      someone.keeper.begin(false);
      QVERIFY(run_whole(someone, 400));
    }
    for (int i = 0; i < 3; ++i) {  // more often than attempts are counted
      Someone someone(home_);
      QVERIFY(someone.keeper.begin(true));
      QVERIFY(someone.keeper.restoring());
      QVERIFY(someone.window.close());
    }
    expect_nothing_left(threads_before_);
    Someone someone(home_);
    QVERIFY(bring_back(someone));
    QVERIFY(shows_a_run(someone.window));
  }

 private:
  std::unique_ptr<TempDir> folder_;
  QString home_;
  int threads_before_ = 0;
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<SessionCloseTest>};
#include "session_close_test.moc"
