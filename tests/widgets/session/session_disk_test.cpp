// SPDX-License-Identifier: GPL-3.0-or-later
// A disk that is full: the window says so, loses nothing that it had saved before, and keeps its work once there is
// room.
#include <QApplication>
#include <QDir>
#include <QMessageBox>
#include <QPushButton>
#include <QTest>

#include "app/window/message_bar.h"
#include "engine/runs/records/run_journal.h"
#include "tests/support/faults/file_size_limit.h"
#include "tests/support/faults/small_disk.h"
#include "tests/support/gui_test.h"
#include "tests/support/temp_dir.h"
#include "tests/support/window_states.h"

using namespace carryover;
using namespace carryover::test;

namespace {

constexpr std::int64_t disk_bytes = 8 << 20, page = 4096;

/// Takes what is left of the disk.
void fill(const SmallDisk& disk) {
  std::ofstream filler(disk.file("filler"), std::ios::binary);
  const std::string block(page, 'x');
  while (filler.write(block.data(), page).flush()) continue;
}

QStringList files_in(const QString& folder) {
  return QDir(folder).entryList(QDir::Files | QDir::Hidden, QDir::Name);
}

void save(Someone& someone, const QString& path) {
  QSignalSpy saved(&someone.keeper, &SessionKeeper::session_saved);
  someone.keeper.save_session(path);
  QVERIFY(saved.wait(patience_ms));
}

}  // namespace

class SessionDiskTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    fail_on_qt_warnings();
    folder_ = std::make_unique<TempDir>();
    home_ = QString::fromStdString(folder_->path().string());
  }

  void saving_on_a_full_disk_says_what_is_needed_and_leaves_what_was_there() {
    const SmallDisk disk(disk_bytes);
    if (!disk.is_there()) QSKIP("this process may not mount a disk of its own");
    const QString path = QString::fromStdString(disk.file("study.carryover"));
    const QString files = QString::fromStdString(disk.file("study.files"));
    Someone someone(home_);
    someone.keeper.begin(false);
    QVERIFY(run_whole(someone, 300));
    someone.window.lab().loader.open_pasted_text("the text as it was saved");
    QVERIFY(wait_for([&] { return someone.window.lab().runs.can_run(); }));
    save(someone, path);
    const std::string before = read_bytes(path.toStdString());
    const QStringList there = files_in(files);
    const auto fails = [&] {
      QSignalSpy failed(&someone.keeper, &SessionKeeper::failed);
      someone.keeper.save_session(path);
      return failed.wait(patience_ms);
    };
    QVERIFY(run_whole(someone, 400));
    someone.window.lab().loader.open_pasted_text("another text");
    QVERIFY(wait_for([&] { return someone.window.lab().runs.can_run(); }));
    someone.lab().notebook().set_text("not in the file");
    fill(disk);
    QVERIFY(fails());
    const QString text = someone.window.message_bar().text();
    QVERIFY2(text.contains(QRegularExpression("study.carryover: the disk is full: the session needs \\d[\\d.]* [KM]B "
                                              "there, and 0 B are free")),
             qPrintable(text));
    QVERIFY(text.contains("save the session on another disk") && text.contains(path));
    QCOMPARE(read_bytes(path.toStdString()), before);
    QCOMPARE(files_in(files), there);
    QCOMPARE(read_bytes((files + "/text.txt").toStdString()), std::string("the text as it was saved"));
    QVERIFY(someone.keeper.has_unsaved_work());
    const QString elsewhere =
        QString::fromStdString(disk.file("new/study.carryover"));  // in a folder that is not there yet
    QSignalSpy failed(&someone.keeper, &SessionKeeper::failed);
    someone.keeper.save_session(elsewhere);
    QVERIFY(failed.wait(patience_ms));
    QVERIFY(someone.window.message_bar().text().contains("the disk is full"));
    QVERIFY(!QFile::exists(elsewhere));
    QVERIFY(!QFile::exists(QString::fromStdString(disk.file("new/study.files"))));
    QVERIFY(QFile::remove(QString::fromStdString(disk.file("filler"))));
    save(someone, path);
    QVERIFY2(!someone.window.message_bar().text().contains("the disk is full"),
             qPrintable(someone.window.message_bar().text()));
    QCOMPARE(read_session(path).notes, QString("not in the file"));
    QCOMPARE(read_bytes((files + "/text.txt").toStdString()), std::string("another text"));
    QCOMPARE(read_session(path).runs.size(), std::size_t{2});
  }

  void a_window_that_cannot_be_saved_when_it_closes_stays() {
    const SmallDisk disk(disk_bytes);
    if (!disk.is_there()) QSKIP("this process may not mount a disk of its own");
    const QString path = QString::fromStdString(disk.file("study.carryover"));
    Someone someone(home_);
    someone.keeper.begin(false);
    QVERIFY(run_whole(someone, 300));
    save(someone, path);
    someone.lab().notebook().set_text("typed after it was saved");
    fill(disk);
    const auto close_with_save = [&] {
      if (someone.window.close()) return false;
      auto* box = someone.window.findChild<QMessageBox*>();
      if (box == nullptr) return false;
      box->button(QMessageBox::Save)->click();
      return true;
    };
    QSignalSpy failed(&someone.keeper, &SessionKeeper::failed);
    QVERIFY(close_with_save());
    QVERIFY(failed.wait(patience_ms));
    QVERIFY(someone.window.isVisible());
    QVERIFY(someone.window.message_bar().text().contains("the disk is full"));
    QVERIFY(someone.keeper.has_unsaved_work());
    QTRY_VERIFY(someone.window.findChild<QMessageBox*>() == nullptr);
    QVERIFY(QFile::remove(QString::fromStdString(disk.file("filler"))));
    QVERIFY(close_with_save());
    QTRY_VERIFY_WITH_TIMEOUT(someone.window.isHidden(), patience_ms);
    QCOMPARE(read_session(path).notes, QString("typed after it was saved"));
  }

  void a_window_whose_disk_is_full_keeps_its_work_once_there_is_room() {
    const SmallDisk disk(disk_bytes);
    if (!disk.is_there()) QSKIP("this process may not mount a disk of its own");
    std::vector<std::string> shown;
    const QString root = QString::fromStdString(disk.file("home"));
    {
      Someone someone(root);
      someone.keeper.begin(false);
      QVERIFY(open_and_wait(someone, 1000));
      someone.keeper.keep_now();
      QTRY_VERIFY(!someone.keeper.earlier().folders().isEmpty() || !files_in(only_folder(root)).isEmpty());
      fill(disk);
      someone.lab().notebook().set_text("typed on a full disk");
      someone.window.lab().loader.open_pasted_text("pasted on a full disk " + QString("word ").repeated(2000));
      QVERIFY(wait_for([&] { return someone.window.lab().runs.can_run(); }));
      someone.window.lab().runs.run();
      QVERIFY(wait_for([&] { return someone.lab().run().finished() && someone.window.lab().runs.can_run(); }));
      someone.keeper.keep_now();
      QTRY_VERIFY_WITH_TIMEOUT(someone.keeper.keeping_problem().has_value(), patience_ms);
      QCOMPARE(someone.keeper.keeping_problem()->problem, QString("the disk is full"));
      shown = told(someone.lab().run());
      QVERIFY(!shown.empty());
      QVERIFY(!someone.window.close());  // it would lose something
      auto* box = someone.window.findChild<QMessageBox*>();
      QVERIFY(box != nullptr && box->text().contains("the disk is full"));
      box->button(QMessageBox::Cancel)->click();
      QVERIFY(someone.window.isVisible());
      MessageBar& bar = someone.window.message_bar();
      bar.settle();  // the run's own error goes
      QVERIFY2(bar.isVisible() && bar.text().contains("can't be kept: the disk is full"), qPrintable(bar.text()));
      QVERIFY(QFile::remove(QString::fromStdString(disk.file("filler"))));
      QTRY_VERIFY_WITH_TIMEOUT(!someone.keeper.keeping_problem(), patience_ms);
      QVERIFY(bar.isHidden());
      QVERIFY(someone.window.close());
    }
    Someone someone(root);
    QVERIFY(bring_back(someone));
    QCOMPARE(someone.lab().notebook().text(), QString("typed on a full disk"));
    QVERIFY(someone.window.lab().loader.text()->contents->starts_with("pasted on a full disk"));
    QVERIFY(told(someone.lab().run()) == shown);
  }

  /// The same of a limit, which any process may set: no file of the window's may grow past it.
  void a_run_that_its_journal_could_not_take_is_written_later() {
    std::vector<std::string> shown;
    {
      Someone someone(home_);
      someone.keeper.begin(false);
      QVERIFY(open_and_wait(someone, 1000));
      auto limit = std::make_unique<FileSizeLimit>(60'000);
      someone.window.lab().runs.run();
      QVERIFY(wait_for([&] { return someone.lab().run().finished() && someone.window.lab().runs.can_run(); }));
      shown = told(someone.lab().run());
      QTRY_VERIFY_WITH_TIMEOUT(someone.keeper.keeping_problem().has_value(), patience_ms);
      limit.reset();
      QTRY_VERIFY_WITH_TIMEOUT(!someone.keeper.keeping_problem(), patience_ms);
      QCOMPARE(someone.lab().library().count(), 1);
      QVERIFY(read_run_journal(someone.lab().library().run(0).place.toStdString()).whole);
    }
    Someone someone(home_);
    QVERIFY(bring_back(someone));
    QVERIFY(told(someone.lab().run()) == shown);
  }

 private:
  static QString only_folder(const QString& root) {
    const QString sessions = root + "/sessions";
    return sessions + '/' + QDir(sessions).entryList(QDir::Dirs | QDir::NoDotAndDotDot).value(0);
  }

  std::unique_ptr<TempDir> folder_;
  QString home_;
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<SessionDiskTest>};
#include "session_disk_test.moc"
