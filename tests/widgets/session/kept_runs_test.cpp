// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that stay: whatever is run, trained, changed and opened is listed, opens again with its own numbers, is deleted
// and taken back, and comes back with the session.
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include "app/window/message_bar.h"
#include "tests/support/gui_test.h"
#include "tests/support/run_list.h"
#include "tests/support/temp_dir.h"
#include "widgets/runs/state/model_label.h"
#include "widgets/runs/state/provenance.h"

using namespace carryover;
using namespace carryover::test;

namespace {

QStringList journals(const QString& home) {
  QStringList found;
  const QDir sessions(home + QStringLiteral("/sessions"));
  for (const QString& session : sessions.entryList(QDir::Dirs | QDir::NoDotAndDotDot))
    for (const QString& name : QDir(sessions.filePath(session)).entryList({QStringLiteral("*.journal")}))
      found += sessions.filePath(session + u'/' + name);
  return found;
}

}  // namespace

class KeptRunsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    fail_on_qt_warnings();
    folder_ = std::make_unique<TempDir>();
    home_ = QString::fromStdString(folder_->path().string());
  }

  void whatever_was_computed_stays_and_opens_again() {
    Someone someone(home_);
    someone.keeper.begin(false);
    RunList panel(someone);
    RunLibrary& library = panel.library;
    RunController& runs = someone.window.lab().runs;
    struct Record {
      QString place, model, provenance;
      std::vector<std::string> told;
      double loss;
      std::int64_t tokens;
    };
    std::vector<Record> records;
    const auto record = [&] {
      RunModel& run = someone.lab().run();
      records.push_back({runs.place(), model_label(run.model()), run_provenance(run), told(run),
                         run.summary().nll_mean().value(), run.summary().tokens});
    };
    QVERIFY(run_whole(someone, 600));
    record();
    QVERIFY(run_what_if(someone));
    QVERIFY(run_text(someone, QStringLiteral("Another text altogether. ").repeated(60), QStringLiteral("another")));
    record();
    QVERIFY(train_for(someone, 2));
    QVERIFY(run_now(someone));
    record();

    const QStringList listed = places_of(library, ListedKind::Run);
    QCOMPARE(listed, QStringList({records[0].place, records[1].place, records[2].place}));
    QCOMPARE(places_of(library, ListedKind::Training), QStringList(home_ + "/training"));
    QCOMPARE(places_of(library, ListedKind::WhatIf).size(), 1);
    QVERIFY(records[1].model != records[2].model && records[0].model == records[1].model);
    for (const Record& each : records) {
      const ListedRun& run = entry(library, each.place);
      QCOMPARE(run.model, each.model);
      QCOMPARE(run.details, each.provenance);
      QCOMPARE(run.loss, each.loss);
      QCOMPARE(run.tokens, each.tokens);
      QCOMPARE(run.policy, QString("segmented"));
      QTRY_COMPARE(entry(library, each.place).bytes, QFileInfo(each.place).size());
      QVERIFY(run.standing == Standing::Whole && run.bytes > 0);
    }
    QVERIFY(entry(library, records[1].place).name.startsWith("another"));
    QVERIFY(panel.cell(records[2].place).data(Qt::FontRole).value<QFont>().bold());

    for (const int i : {0, 1, 2, 0}) {
      const Record& each = records[static_cast<std::size_t>(i)];
      QVERIFY(panel.open(each.place));
      QVERIFY(told(someone.lab().run()) == each.told);
      QCOMPARE(run_provenance(someone.lab().run()), each.provenance);
      QCOMPARE(model_label(someone.lab().run().model()), each.model);
      QCOMPARE(someone.lab().run().summary().nll_mean().value(), each.loss);
      QVERIFY(someone.lab().run().tokenizer() != nullptr);
      QVERIFY(panel.cell(each.place).data(Qt::FontRole).value<QFont>().bold());
      QCOMPARE(someone.lab().what_ifs().in_run(0), i == 0);  // it is of the first run
    }
    QCOMPARE(places_of(library, ListedKind::Run), listed);
    QVERIFY(panel.open(records[1].place));
    panel.choose(places_of(library, ListedKind::WhatIf).front());  // its run comes with it
    QTest::keyClick(panel.table, Qt::Key_Return);
    QVERIFY(wait_for([&] { return runs.place() == records[0].place && someone.lab().what_ifs().in_run(0); }));
    QVERIFY(someone.window.docks().panel("what_if")->is_seen());
    QCOMPARE(someone.lab().selected().segment, 1);  // the what-if's own
    someone.lab().select_segment(0);
    panel.window.docks().raise("runs");
    panel.choose(places_of(library, ListedKind::WhatIf).front());
    QTest::keyClick(panel.table, Qt::Key_Return);
    QCOMPARE(someone.lab().selected().segment, 1);  // also where its run is on show
    panel.window.docks().raise("runs");
    panel.choose(home_ + "/training");
    QTest::keyClick(panel.table, Qt::Key_Return);
    QVERIFY(someone.window.docks().panel("training")->is_seen());
  }

  void folders_that_are_opened_are_listed_and_stay_when_they_leave_the_list() {
    const QString run = home_ + "/run";
    Someone someone(home_);
    someone.keeper.begin(false);
    QVERIFY(run_whole(someone, 400));
    const std::vector<std::string> before = told(someone.lab().run());
    const QString journal = someone.window.lab().runs.place();
    QSignalSpy saved(&someone.window.lab().runs, &RunController::saved);
    someone.window.lab().runs.save_run(run);
    QVERIFY(saved.wait(patience_ms));
    QCOMPARE(entry(someone.lab().library(), journal).saved_in, run);
    QVERIFY(run_whole(someone, 300));
    RunList panel(someone);
    QVERIFY(panel.open(journal));
    QCOMPARE(QString::fromStdString(someone.lab().run().origin().folder), run);  // it still knows that
    QSignalSpy opened(&someone.window.lab().runs, &RunController::run_opened);
    someone.window.open_path(run);
    QVERIFY(opened.wait(patience_ms));
    QVERIFY(told(someone.lab().run()) == before);
    QTRY_VERIFY(entry(panel.library, run).bytes > 1000);
    const std::int64_t journals_alone = panel.library.disk_bytes();
    panel.choose(run);
    QVERIFY(panel.press("Delete"));
    QCOMPARE(panel.row_of(run), -1);
    panel.library.forget_removed();
    QCOMPARE(panel.library.disk_bytes(), journals_alone);
    QVERIFY(QFile::exists(run + "/config.json"));
  }

  void a_deleted_run_comes_back_until_it_is_deleted_for_good() {
    QString first, second, third;
    {
      Someone someone(home_);
      someone.keeper.begin(false);
      RunList panel(someone);
      for (QString* place : {&first, &second, &third}) {
        QVERIFY(run_whole(someone, 300));
        *place = someone.window.lab().runs.place();
      }
      panel.choose(first);
      panel.table->model()->setData(panel.cell(first, RunLibraryTable::Tags), "paper, long");
      panel.table->model()->setData(panel.cell(first), "the first one");
      QTest::keyClick(panel.table, Qt::Key_Delete);
      QCOMPARE(panel.row_of(first), -1);
      QVERIFY(QFile::exists(first));
      QCoreApplication::processEvents();
      QVERIFY(panel.button("Undo")->isVisible());
      panel.button("Undo")->click();
      QCOMPARE(panel.cell(first).data().toString(), QString("the first one"));
      QCOMPARE(panel.cell(first, RunLibraryTable::Tags).data().toString(), QString("paper, long"));
      QVERIFY(panel.open(first));
      QVERIFY(panel.open(third));
      panel.choose(first);
      QVERIFY(panel.press("Delete"));
      QCoreApplication::processEvents();
      panel.button("Delete for good")->click();
      QTRY_VERIFY(!QFile::exists(first));
      QVERIFY(!panel.press("Undo delete"));
      panel.choose(third);  // on show, and what was not taken back when the window closes goes too
      QVERIFY(panel.press("Delete"));
      QVERIFY(QFile::exists(third));
      QVERIFY(someone.lab().run().snapshot(0).target_nll.size() > 0);
    }
    QCOMPARE(journals(home_), QStringList(second));
    // A window that was killed had deleted this run from the list only.
    const QString orphan = QFileInfo(second).absolutePath() + "/run-orphan.journal";
    QVERIFY(QFile::copy(second, orphan));
    Someone someone(home_);
    QVERIFY(bring_back(someone));
    QTRY_VERIFY(!QFile::exists(orphan));
    QCOMPARE(places_of(someone.lab().library(), ListedKind::Run), QStringList(second));
    QVERIFY(!someone.window.message_bar().isVisible());  // the run that was on show is not missed
  }

  void what_ifs_and_trainings_can_be_deleted_and_taken_back() {
    Someone someone(home_);
    someone.keeper.begin(false);
    RunList panel(someone);
    QVERIFY(run_whole(someone, 400));
    QVERIFY(run_what_if(someone));
    QVERIFY(run_what_if(someone));
    QVERIFY(train_for(someone, 2));
    const QString what_if = places_of(panel.library, ListedKind::WhatIf).front(), training = home_ + "/training";
    const std::vector<float> after = someone.lab().what_ifs().results()[0].after;
    panel.table->model()->setData(panel.cell(what_if), "renamed");
    QCOMPARE(someone.lab().what_ifs().results()[0].name, QString("renamed"));
    for (const QString& place : {what_if, training}) {
      panel.choose(place);
      QVERIFY(panel.press("Delete"));
    }
    QCOMPARE(someone.lab().what_ifs().results().size(), std::size_t{1});
    QCOMPARE(someone.lab().training().count(), 0);
    QVERIFY(panel.press("Undo delete") && panel.press("Undo delete"));
    QVERIFY(!panel.press("Undo delete"));
    QCOMPARE(someone.lab().what_ifs().results().size(), std::size_t{2});
    QCOMPARE(someone.lab().what_ifs().results()[0].name, QString("renamed"));
    QCOMPARE(someone.lab().what_ifs().results()[0].after, after);
    QVERIFY(wait_for([&] { return someone.lab().training().count() == 1; }));
    QVERIFY(panel.row_of(training) >= 0 && panel.row_of(what_if) >= 0);
    someone.lab().what_ifs().remove(0);  // in its own panel
    QCOMPARE(panel.row_of(what_if), -1);
  }

  void a_what_if_keeps_its_time_and_says_what_it_was_made_with() {
    ListedRun before;
    {
      Someone someone(home_);
      someone.keeper.begin(false);
      QVERIFY(run_whole(someone, 400));
      QVERIFY(run_what_if(someone));
      const RunLibrary& library = someone.lab().library();
      before = entry(library, places_of(library, ListedKind::WhatIf).front());
      QCOMPARE(before.policy, QString("segmented"));
      QCOMPARE(before.model, entry(library, someone.window.lab().runs.place()).model);
      QVERIFY(before.made_ms > 0);
    }
    Someone someone(home_);
    QVERIFY(bring_back(someone));
    const RunLibrary& library = someone.lab().library();
    const ListedRun after = entry(library, places_of(library, ListedKind::WhatIf).front());
    QCOMPARE(after.made_ms, before.made_ms);
    QCOMPARE(after.policy, before.policy);
    QCOMPARE(after.model, before.model);
  }

  void the_list_comes_back_with_the_session_and_its_file() {
    const QString file = home_ + "/study.carryover", moved = home_ + "/moved";
    std::vector<std::string> first;
    QStringList names;
    {
      Someone someone(home_);
      someone.keeper.begin(false);
      RunList panel(someone);
      QVERIFY(run_whole(someone, 500));
      first = told(someone.lab().run());
      const QString place = someone.window.lab().runs.place();
      QVERIFY(run_text(someone, QStringLiteral("Something else. ").repeated(50), QStringLiteral("else")));
      QVERIFY(train_for(someone, 1));
      panel.table->model()->setData(panel.cell(place), "the first one");
      panel.table->model()->setData(panel.cell(place, RunLibraryTable::Tags), "paper");
      panel.tick(place);
      for (int i = 0; i < panel.library.count(); ++i) names += panel.library.run(i).name;
      for (int i = 0; i < 2; ++i) {  // the second time there is nothing to copy
        QSignalSpy saved(&someone.keeper, &SessionKeeper::session_saved);
        someone.keeper.save_session(file);
        QVERIFY(saved.wait(patience_ms));
      }
      QVERIFY(!someone.keeper.has_unsaved_work());
    }
    const auto check = [&](Someone& someone, const QString& folder) {
      RunLibrary& library = someone.lab().library();
      QStringList now;
      for (int i = 0; i < library.count(); ++i) now += library.run(i).name;
      QCOMPARE(now, names);
      const ListedRun& run = library.run(0);
      QVERIFY2(run.place.startsWith(folder), qPrintable(run.place));
      QVERIFY(run.ticked());
      QCOMPARE(run.tags, QStringList("paper"));
      QTRY_VERIFY(library.run(0).losses && !library.run(0).losses->empty());  // read again, for the plot
      RunList panel(someone);
      QVERIFY(panel.open(library.run(0).place));
      QVERIFY(told(someone.lab().run()) == first);
    };
    {
      Someone someone(home_);
      QVERIFY(bring_back(someone));
      check(someone, home_ + "/sessions/");
    }
    QVERIFY(QDir(home_ + "/sessions").removeRecursively());
    QVERIFY(QDir().mkpath(moved));
    QVERIFY(QDir().rename(file, moved + "/study.carryover"));
    QVERIFY(QDir().rename(home_ + "/study.files", moved + "/study.files"));
    Someone someone(home_);
    someone.keeper.begin(false);
    QSignalSpy opened(&someone.keeper, &SessionKeeper::session_opened);
    someone.keeper.open_session(moved + "/study.carryover");
    QVERIFY(opened.wait(patience_ms));
    QVERIFY(!someone.keeper.has_unsaved_work());
    check(someone, moved + "/study.files/");
    // Deleted there, a run stays in the file's folder until the session is saved again.
    RunList panel(someone);
    const QString journal = panel.library.run(0).place;
    panel.choose(journal);
    QVERIFY(panel.press("Delete"));
    panel.library.forget_removed();
    QVERIFY(someone.keeper.has_unsaved_work());
    QVERIFY(QFile::exists(journal));
    QSignalSpy saved(&someone.keeper, &SessionKeeper::session_saved);
    someone.keeper.save_session(moved + "/study.carryover");
    QVERIFY(saved.wait(patience_ms));
    QVERIFY(!QFile::exists(journal));
    QCOMPARE(QDir(moved + "/study.files").entryList({"*.journal"}).size(), 1);
  }

  void opening_a_session_file_leaves_the_runs_before_it_among_the_earlier_sessions() {
    const QString file = home_ + "/study.carryover";
    Someone someone(home_);
    someone.keeper.begin(false);
    QVERIFY(run_whole(someone, 300));
    QSignalSpy saved(&someone.keeper, &SessionKeeper::session_saved);
    someone.keeper.save_session(file);
    QVERIFY(saved.wait(patience_ms));
    QVERIFY(run_whole(someone, 400));
    const QString later = someone.window.lab().runs.place();
    QSignalSpy opened(&someone.keeper, &SessionKeeper::session_opened);
    someone.keeper.open_session(file);
    QVERIFY(opened.wait(patience_ms));
    QCOMPARE(someone.lab().library().count(), 1);
    QVERIFY(QFile::exists(later));
    QCOMPARE(someone.keeper.earlier().folders().size(), 1);
    someone.keeper.open_earlier(someone.keeper.earlier().folders().front());
    QVERIFY(opened.wait(patience_ms));
    QCOMPARE(someone.lab().library().count(), 2);
    QCOMPARE(someone.window.lab().runs.place(), later);
  }

  void a_run_that_is_refused_leaves_nothing_behind() {
    Someone someone(home_);
    someone.keeper.begin(false);
    QVERIFY(run_whole(someone, 400));
    const QString before = someone.window.lab().runs.place();
    SegmentConfig config = someone.lab().config();
    config.carry_length = config.segment_length + 1;  // what no form lets through
    someone.lab().set_config(config);
    QSignalSpy failed(&someone.window.lab().runs, &RunController::failed);
    someone.window.lab().runs.run();
    QVERIFY(failed.wait(patience_ms));
    QVERIFY(wait_for([&] { return someone.window.lab().runs.state() == RunController::State::Idle; }));
    QCOMPARE(journals(home_), QStringList(before));
    QCOMPARE(places_of(someone.lab().library(), ListedKind::Run), QStringList(before));
    someone.keeper.keep_now();
    someone.window.lab().runs.stop();
    QVERIFY(QFile::exists(before));
  }

  void one_that_is_stopped_before_its_first_segment_leaves_nothing_either() {
    Someone someone(home_);
    someone.keeper.begin(false);
    QVERIFY(open_and_wait(someone, 1000));
    someone.window.lab().runs.run(0);  // pauses by itself in the middle of segment 0
    QVERIFY(wait_for([&] { return someone.window.lab().runs.engine_paused(); }));
    QVERIFY(journals(home_).isEmpty());
    someone.window.lab().runs.stop();
    QVERIFY(wait_for([&] { return someone.window.lab().runs.state() == RunController::State::Idle; }));
    QVERIFY(journals(home_).isEmpty());
    QCOMPARE(someone.lab().library().count(), 0);
  }

 private:
  std::unique_ptr<TempDir> folder_;
  QString home_;
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<KeptRunsTest>};
#include "kept_runs_test.moc"
