// SPDX-License-Identifier: GPL-3.0-or-later
// The sessions that windows leave behind: none where nobody did anything; all else until somebody deletes it.
#include "app/start/session_history.h"

#include <QApplication>
#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QTreeWidget>

#include "app/saved_window/session_summary.h"
#include "app/window/message_bar.h"
#include "tests/support/find_parts.h"
#include "tests/support/gui_test.h"
#include "tests/support/temp_dir.h"
#include "tests/support/window_states.h"

using namespace carryover;
using namespace carryover::test;

namespace {

/// A window as the program opens it at a first start: with the demo, which runs.
bool start_with_demo(Someone& someone) {
  someone.keeper.begin(true, demo_folder());
  if (someone.keeper.restoring()) return false;
  someone.window.lab().loader.open_model(demo_folder());
  someone.window.lab().loader.open_text(demo_folder() + "/text.txt");
  someone.window.lab().runs.run_when_ready();
  return wait_for([&] { return someone.lab().run().finished() && someone.window.lab().runs.can_run(); });
}

/// The folder of a window as a kill leaves it.
void leave_as_killed(const QString& folder, const QString& to) {
  QVERIFY(QDir().mkpath(to));
  for (const QString& name : QDir(folder).entryList(QDir::Files))
    if (!name.contains(".tmp-")) QVERIFY(QFile::copy(folder + '/' + name, to + '/' + name));  // else being written
}

QString only_folder(const QString& root) {
  const QStringList names = QDir(root).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
  return names.size() == 1 ? root + '/' + names.front() : QString();
}

void write_session(const QString& folder, const QString& notes) {
  QDir().mkpath(folder);
  SessionState state;
  state.notes = notes;
  write_bytes((folder + "/session.json").toStdString(), session_text(state, folder));
}

}  // namespace

class SessionHistoryTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    fail_on_qt_warnings();
    folder_ = std::make_unique<TempDir>();
    home_ = QString::fromStdString(folder_->path().string());
    root_ = home_ + "/sessions";
  }

  void a_window_in_which_nothing_was_done_leaves_nothing() {
    for (int i = 0; i < 2; ++i) {
      Someone someone(home_);
      QVERIFY(start_with_demo(someone));
      someone.lab().select({1, 0, 0, -1});  // looking is nothing
      someone.keeper.keep_now();
      const QString folder = only_folder(root_);
      QTRY_VERIFY(read_session(folder + "/session.json").untouched);
      if (i == 1) leave_as_killed(folder, root_ + "/killed");
    }
    QCOMPARE(QDir(root_).entryList(QDir::Dirs | QDir::NoDotAndDotDot), QStringList("killed"));
    QVERIFY(QDir().mkpath(root_ + "/begun"));  // and killed before anything was kept
    write_bytes((root_ + "/begun/lock").toStdString(), "");
    Someone someone(home_);
    QVERIFY(!someone.keeper.begin(true, demo_folder()));
    QVERIFY(someone.keeper.earlier().folders().isEmpty());
    QVERIFY(!QFileInfo::exists(root_ + "/killed") && !QFileInfo::exists(root_ + "/begun"));
  }

  void whatever_was_done_is_kept_data() {
    QTest::addColumn<int>("deed");
    const char* names[] = {"a setting", "a policy", "notes", "a foil", "a draft", "a form", "another run", "a text"};
    for (int i = 0; i < 8; ++i) QTest::newRow(names[i]) << i;
  }
  void whatever_was_done_is_kept() {
    QFETCH(int, deed);
    {
      Someone someone(home_);
      QVERIFY(start_with_demo(someone));
      LabContext& lab = someone.lab();
      SegmentConfig config = lab.config();
      config.carry_length += 1;
      RunOptions options = lab.run_options();
      options.policy = "full";
      SegmentEdit draft;
      draft.no_carry = true;
      if (deed == 0) lab.edit_config(config, "carry");
      if (deed == 1) lab.edit_run_options(options, "policy");
      if (deed == 2) lab.notebook().set_text("a thought");
      if (deed == 3) lab.foil().set_text("Anne");
      if (deed == 4) lab.what_ifs().set_draft(draft);
      if (deed == 5) someone.window.dialogs().open_finetune();
      if (deed == 6) run_to_the_end(someone.window);
      if (deed == 7) {
        someone.window.lab().loader.open_pasted_text("typed by hand");
        QVERIFY(wait_for([&] { return someone.window.lab().runs.can_run(); }));
      }
    }
    Someone someone(home_);
    QVERIFY(bring_back(someone));
  }

  void no_number_of_sessions_deletes_one() {
    for (int i = 0; i < 30; ++i) write_session(QStringLiteral("%1/%2").arg(root_).arg(i), QString::number(i));
    for (int i = 0; i < 3; ++i) {
      Someone someone(home_);
      someone.keeper.begin(false, demo_folder());
    }
    Someone someone(home_);
    someone.keeper.begin(false, demo_folder());
    QCOMPARE(someone.keeper.earlier().folders().size(), 30);
  }

  void of_two_windows_that_were_killed_one_comes_back_and_the_other_is_offered() {
    std::vector<std::vector<std::string>> runs;
    {
      Someone first(home_), second(home_);
      for (Someone* each : {&first, &second}) {
        each->keeper.begin(true);
        QVERIFY(!each->keeper.restoring());  // a living window keeps its session
        QVERIFY(run_whole(*each, each == &first ? 300 : 400));
        each->lab().notebook().set_text(each == &first ? "first" : "second");
        each->keeper.keep_now();
        runs.push_back(told(each->lab().run()));
      }
      const QString kept = home_ + "/killed";
      const QStringList folders = QDir(root_).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name);
      QCOMPARE(folders.size(), 2);
      for (const QString& folder : folders) {
        QTRY_VERIFY(!read_session(root_ + '/' + folder + "/session.json").notes.isEmpty());
        leave_as_killed(root_ + '/' + folder, kept + '/' + folder);
      }
    }
    QVERIFY(QDir(root_).removeRecursively() && QDir().rename(home_ + "/killed", root_));
    Someone someone(home_);
    QVERIFY(bring_back(someone));
    const bool second_is_back = someone.lab().notebook().text() == "second";
    QVERIFY(told(someone.lab().run()) == runs[second_is_back ? 1 : 0]);
    someone.shell.offer_left_sessions();
    MessageBar& bar = someone.window.message_bar();
    QVERIFY(bar.text().startsWith("Windows that did not close by themselves left sessions: 1"));
    QVERIFY(run_whole(someone, 200));  // the offer outlasts what works
    QVERIFY(bar.isVisible());
    bar.findChild<QToolButton*>("offer")->click();
    SessionHistory* history = someone.shell.history();
    QVERIFY(history != nullptr);
    QCOMPARE(history->list().topLevelItemCount(), 1);
    QVERIFY(history->list().topLevelItem(0)->text(3).contains("did not close by itself"));
    history->list().topLevelItem(0)->setSelected(true);
    QSignalSpy opened(&someone.keeper, &SessionKeeper::session_opened);
    button<QPushButton>(*history, SessionHistory::tr("Open"))->click();
    QVERIFY(opened.count() > 0 || opened.wait(patience_ms));
    QCOMPARE(someone.lab().notebook().text(), QString(second_is_back ? "first" : "second"));
    QVERIFY(told(someone.lab().run()) == runs[second_is_back ? 0 : 1]);
    QCOMPARE(someone.keeper.earlier().folders().size(), 1);  // the one that came back first
  }

  void deleting_is_undone_until_the_window_closes() {
    const QString folder = root_ + "/one", other = root_ + "/two";
    write_session(folder, "precious");
    write_session(other, "also");
    write_bytes((folder + "/run-1.journal").toStdString(), std::string(1'500'000, 'x'));
    {
      Someone someone(home_);
      someone.keeper.begin(false);
      someone.shell.offer_left_sessions();
      SessionHistory history(someone.keeper, &someone.window);
      QTreeWidget& list = history.list();
      QCOMPARE(list.topLevelItemCount(), 2);
      const auto row = [&](const QString& path) {
        for (int i = 0; i < list.topLevelItemCount(); ++i)
          if (list.topLevelItem(i)->data(0, Qt::UserRole) == path) return list.topLevelItem(i);
        return static_cast<QTreeWidgetItem*>(nullptr);
      };
      QCOMPARE(row(folder)->text(2), QString("1.5 MB"));
      QVERIFY(row(folder)->text(3).contains("notes"));
      const auto press = [&](const char* text) { button<QPushButton>(history, SessionHistory::tr(text))->click(); };
      for (const QString& path : {folder, other}) {
        row(path)->setSelected(true);
        press("Delete");
        QVERIFY(row(path) == nullptr && QFileInfo::exists(path + "/session.json"));
      }
      {
        Someone another(home_);
        another.keeper.begin(true);
        QVERIFY(another.keeper.earlier().folders().isEmpty());  // a window that starts meanwhile does not take it
        QVERIFY(!another.keeper.restoring());
      }
      press("Undo");
      QVERIFY(row(other) != nullptr && row(folder) == nullptr);
      press("Undo");
      QVERIFY(row(folder) != nullptr);
      QVERIFY(!button<QPushButton>(history, SessionHistory::tr("Undo"))->isEnabled());
      row(other)->setSelected(true);
      press("Delete");
    }
    QVERIFY(QFileInfo::exists(folder + "/run-1.journal") && !QFileInfo::exists(other));
  }

  /// A link in place of a session's folder leads to what is not the program's to delete.
  void a_link_is_no_session() {
    const QString elsewhere = home_ + "/elsewhere";
    write_session(elsewhere, "mine");
    QVERIFY(QDir().mkpath(root_) && QFile::link(elsewhere, root_ + "/link"));
    Someone someone(home_);
    someone.keeper.begin(true);
    QVERIFY(someone.keeper.earlier().folders().isEmpty());
    QVERIFY(QFileInfo::exists(elsewhere + "/session.json"));
  }

  void sessions_that_take_much_of_the_disk_are_told_of() {
    write_session(root_ + "/one", "large");
    SessionState state = read_session(root_ + "/one/session.json");
    state.closed = true;
    write_bytes((root_ + "/one/session.json").toStdString(), session_text(state, root_ + "/one"));
    QFile large(root_ + "/one/run-1.journal");
    QVERIFY(large.open(QIODevice::WriteOnly) && large.resize(6'000'000'000));  // without a block on the disk
    Someone someone(home_);
    someone.keeper.begin(false);
    someone.shell.offer_left_sessions();
    QVERIFY(someone.window.message_bar().text().startsWith("Earlier sessions take 6.00 GB on the disk"));
    QVERIFY(large.exists());
  }

 private:
  std::unique_ptr<TempDir> folder_;
  QString home_, root_;
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<SessionHistoryTest>};
#include "session_history_test.moc"
