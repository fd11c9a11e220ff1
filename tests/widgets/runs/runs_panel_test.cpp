// SPDX-License-Identifier: GPL-3.0-or-later
// The panel of runs: what is resumed, compared, drawn and limited from it, its columns, and its keys.
#include "widgets/runs/runs_panel.h"

#include <QApplication>
#include <QFile>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <algorithm>
#include <set>

#include "app/window/message_bar.h"
#include "tests/support/gui_test.h"
#include "tests/support/run_list.h"
#include "tests/support/temp_dir.h"
#include "widgets/compare/state/comparison_rows.h"

using namespace carryover;
using namespace carryover::test;

namespace {

QStringList table_of(const RunComparison& comparison) {
  QStringList all;
  for (const ComparisonRow& row : comparison_rows(comparison, {})) all += row.name + u'|' + row.a + u'|' + row.b;
  return all;
}

/// Losses and hits, which do not depend on the clock.
std::vector<std::string> computed(const RunModel& run) {
  std::vector<std::string> all;
  for (int i = 0; i < run.segment_count(); ++i) {
    nlohmann::json hits = nlohmann::json::array();
    for (const HeadHits& head : run.snapshot(i).hits) hits.push_back(head);
    all.push_back(nlohmann::json{run.record(i).nll_sum, run.snapshot(i).target_nll, hits}.dump());
  }
  return all;
}

}  // namespace

class RunsPanelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    fail_on_qt_warnings();
    folder_ = std::make_unique<TempDir>();
    home_ = QString::fromStdString(folder_->path().string());
  }

  void a_run_that_was_stopped_continues() {
    Someone someone(home_);
    someone.keeper.begin(false);
    RunList panel(someone);
    RunController& runs = someone.window.lab().runs;
    QVERIFY(run_whole(someone, 600));
    const RunSummary whole = someone.lab().run().summary();
    const auto straight = computed(someone.lab().run());
    const QString first = runs.place();
    QVERIFY(!entry(panel.library, first).resumable && !runs.why_not_continue().isEmpty());

    runs.run(3);
    QVERIFY(wait_for([&] { return runs.engine_paused(); }));
    runs.stop();
    QVERIFY(wait_for([&] { return runs.can_run(); }));
    const QString stopped = runs.place();
    QVERIFY(stopped != first && entry(panel.library, stopped).standing == Standing::Partial);
    QCOMPARE(someone.lab().run().segment_count(), 3);
    QVERIFY(panel.open(first));
    panel.choose(stopped);
    // Its speed is that of what it runs itself: no more than that many tokens in the least time that counts.
    double most_above = 0;
    const auto look = [&] {
      const auto own = static_cast<double>(someone.lab().run().tokens_done() - someone.lab().run().tokens_after(2));
      most_above = std::max(most_above, runs.tokens_per_second() - std::max(0.0, own) / 0.05);
    };
    const auto appended = connect(&someone.lab().run(), &RunModel::segments_appended, this, look);
    const auto progressed = connect(&someone.lab().run(), &RunModel::progressed, this, look);
    QVERIFY(panel.press(RunsPanel::tr("Resume")));  // opens it first
    QVERIFY(wait_for([&] { return runs.can_run() && someone.lab().run().segment_count() == whole.segments; }));
    disconnect(appended);
    disconnect(progressed);
    QVERIFY(most_above <= 1e-6);
    QCOMPARE(someone.lab().run().summary().nll_sum, whole.nll_sum);
    QCOMPARE(someone.lab().run().summary().tokens, whole.tokens);
    QVERIFY(computed(someone.lab().run()) == straight);
    const QString continued = runs.place();
    QVERIFY(continued != stopped && entry(panel.library, continued).standing == Standing::Whole);
    QVERIFY(panel.open(first) && panel.open(continued));  // from its journal
    QVERIFY(computed(someone.lab().run()) == straight);
  }

  /// A run with --force-hits whose file is gone opens, and a search does not take the place of its hits.
  void a_run_whose_hits_are_gone_does_not_continue() {
    Someone someone(home_);
    someone.keeper.begin(false);
    RunController& runs = someone.window.lab().runs;
    QVERIFY(run_whole(someone, 600));
    runs.run(3);
    QVERIFY(wait_for([&] { return runs.engine_paused(); }));
    runs.stop();
    QVERIFY(wait_for([&] { return runs.can_run(); }));
    QSignalSpy saved(&runs, &RunController::saved);
    const QString folder = home_ + QStringLiteral("/stopped");
    runs.save_run(folder);
    QVERIFY(saved.wait(patience_ms));
    const std::string path = (folder + QStringLiteral("/config.json")).toStdString();
    nlohmann::json config = nlohmann::json::parse(read_bytes(path));
    for (const bool forced : {false, true}) {
      if (forced) config["force_hits"] = "gone.jsonl";
      write_bytes(path, config.dump());
      QSignalSpy opened(&runs, &RunController::run_opened);
      runs.open_run(folder);
      QVERIFY(opened.count() > 0 || opened.wait(patience_ms));
      QVERIFY(wait_for([&] { return runs.why_engine_is_busy().isEmpty(); }));
      QCOMPARE(someone.lab().run().segment_count(), 3);
      QCOMPARE(runs.why_not_continue().contains(QStringLiteral("gone.jsonl")), forced);
      QCOMPARE(runs.why_not_continue().isEmpty(), !forced);
    }
    QSignalSpy failed(&runs, &RunController::failed);
    runs.continue_run();
    QCOMPARE(failed.count(), 1);
    QCOMPARE(someone.lab().run().segment_count(), 3);
  }

  void an_interrupted_training_is_resumed_from_the_list() {
    Someone someone(home_);
    someone.keeper.begin(false);
    RunList panel(someone);
    QVERIFY(train(someone));
    const TrainingModel* training = someone.lab().training().current();
    const QString place = home_ + "/training";
    panel.choose(place);
    QVERIFY(!panel.press("Resume"));  // it is under way
    QVERIFY(panel.press("Delete"));
    QVERIFY(panel.row_of(place) >= 0 && someone.window.message_bar().isVisible());
    someone.window.lab().training.stop();
    QVERIFY(wait_for([&] { return !someone.window.lab().training.active(); }));
    QVERIFY(entry(panel.library, place).standing == Standing::Partial && entry(panel.library, place).resumable);
    const std::size_t before = training->step_count();
    panel.choose(place);
    QVERIFY(panel.press("Resume"));
    QVERIFY(wait_for([&] { return training->step_count() > before; }));
    QVERIFY(wait_for([&] { return entry(panel.library, place).standing == Standing::UnderWay; }));
    someone.window.lab().training.stop();
    QVERIFY(wait_for([&] { return !someone.window.lab().training.active(); }));
    QVERIFY(entry(panel.library, place).loss == training->column(TrainingColumn::Loss).back());
  }

  void two_ticks_are_compared_as_pinned_runs_are() {
    Someone someone(home_);
    someone.keeper.begin(false);
    RunList panel(someone);
    QVERIFY(run_whole(someone, 600));
    const QString b = someone.window.lab().runs.place();
    someone.lab().pin_run();
    SegmentConfig config = someone.lab().config();
    config.retrieval_length -= 4;
    someone.lab().set_config(config);
    QVERIFY(run_now(someone));
    const QString a = someone.window.lab().runs.place();
    const QStringList expected = table_of(*someone.lab().comparison());
    QVERIFY(expected.size() > 5);
    someone.lab().unpin_run();
    QVERIFY(run_text(someone, QStringLiteral("Something else. ").repeated(50), QStringLiteral("else")));
    QVERIFY(!panel.press("Compare A | B"));
    for (const QString& place : {b, a}) panel.tick(place);
    QSignalSpy opened(&someone.window.lab().runs, &RunController::run_opened);
    QVERIFY(panel.press("Compare A | B"));
    QVERIFY(wait_for([&] { return opened.count() == 2; }));
    QCOMPARE(someone.window.lab().runs.place(), a);
    QVERIFY(someone.lab().comparison() != nullptr);
    QCOMPARE(table_of(*someone.lab().comparison()), expected);
    QVERIFY(someone.window.docks().panel("compare")->is_seen());
    someone.keeper.keep_now();
    const QString state = QFileInfo(a).absolutePath() + QStringLiteral("/session.json");
    QTRY_VERIFY(read_session(state).pinned_run == b && read_session(state).run == a);
  }

  void the_losses_of_ticked_runs_are_drawn() {
    Someone someone(home_);
    someone.keeper.begin(false);
    RunList panel(someone);
    PlotView& plot = *panel.panel->plots().front();
    std::vector<QString> places;
    for (const std::int64_t tokens : {400, 600, 800}) {
      QVERIFY(run_whole(someone, tokens));
      places.push_back(someone.window.lab().runs.place());
      panel.tick(places.back());
    }
    QTRY_VERIFY(plot.isVisible());
    QCoreApplication::processEvents();
    const RunModel& run = someone.lab().run();
    for (int curve = 0; curve < 3; ++curve) {
      const auto points = plot.drawn_points(curve);
      for (std::size_t i = 0; i + 1 < points.size(); ++i) {  // the last segment is cut by the number of tokens
        const SegmentRecord& record = run.record(static_cast<int>(i));
        QCOMPARE(points[i].first, static_cast<double>(record.first_token + record.length));
        QCOMPARE(points[i].second, record.nll_sum / static_cast<double>(record.targets));
      }
      QCOMPARE(points.back().first, 400.0 + 200 * curve);
    }
    for (const QString& place : places) panel.tick(place, false);
    QTRY_VERIFY(!plot.isVisible());
  }

  void names_get_what_the_other_columns_leave_free() {
    LabContext lab;
    RunsPanel panel(lab);
    panel.resize(500, 300);
    panel.show();
    auto* table = panel.findChild<QTableView*>();
    const int least = table->columnWidth(RunLibraryTable::Name);
    panel.resize(2000, 300);
    QTRY_COMPARE(table->horizontalHeader()->length(), table->viewport()->width());
    QVERIFY(table->columnWidth(RunLibraryTable::Name) > least);
    panel.resize(500, 300);
    QTRY_COMPARE(table->columnWidth(RunLibraryTable::Name), least);
    table->setColumnWidth(RunLibraryTable::Name, 2 * least);  // as a hand does
    panel.resize(2100, 300);
    QTRY_VERIFY(table->viewport()->width() > 2000);
    QCOMPARE(table->columnWidth(RunLibraryTable::Name), 2 * least);
  }

  void other_columns_are_as_wide_as_what_they_show() {
    LabContext lab;
    RunsPanel panel(lab);
    ListedRun run;
    run.place = QStringLiteral("/nowhere/run-1.journal");
    run.name = QStringLiteral("persuasion.txt · segmented S 1024 M 128 R 128 n 4, the second time");
    run.policy = QStringLiteral("segmented");
    run.model = QStringLiteral("demo · fp32 · 01234567");
    lab.library().put(run);
    panel.resize(1100, 300);
    panel.show();
    auto* table = panel.findChild<QTableView*>();
    const auto characters = [&](int count) { return count * table->fontMetrics().averageCharWidth(); };
    QTRY_COMPARE(table->horizontalHeader()->length(), table->viewport()->width());
    for (int column = 0; column < RunLibraryTable::ColumnCount; ++column)
      QVERIFY(table->columnWidth(column) >= table->horizontalHeader()->sectionSizeHint(column));
    const int tags = table->columnWidth(RunLibraryTable::Tags), name = table->columnWidth(RunLibraryTable::Name);
    QVERIFY(tags < characters(14) && name > characters(30));
    lab.library().set_tags(0, {QStringLiteral("paper"), QStringLiteral("long"), QStringLiteral("again")});
    QTRY_VERIFY(table->columnWidth(RunLibraryTable::Tags) > tags);
    QCOMPARE(table->horizontalHeader()->length(), table->viewport()->width());
    lab.library().set_tags(0, {QStringLiteral("many words ").repeated(30)});
    QTRY_VERIFY(table->columnWidth(RunLibraryTable::Tags) > characters(20));
    QVERIFY(table->columnWidth(RunLibraryTable::Tags) < characters(30));  // the name has its room too
  }

  void a_long_name_of_a_deleted_run_ends_in_dots() {
    LabContext lab;
    RunsPanel panel(lab);
    panel.show();
    ListedRun run;
    run.place = QStringLiteral("/nowhere/run-1.journal");
    run.name = QStringLiteral("persuasion.txt · segmented S 1024 M 128 R 128 n 4, the second time");
    lab.library().put(run);
    lab.library().remove(0);
    panel.catch_up();
    const QLabel* told = nullptr;
    for (const QLabel* label : panel.findChildren<QLabel*>())
      if (label->accessibleName() == RunsPanel::tr("Deleted runs")) told = label;
    QVERIFY(told != nullptr);
    QVERIFY2(told->text().contains(u'…') && told->text().size() < run.name.size(), qPrintable(told->text()));
    QVERIFY(told->toolTip().contains(QStringLiteral("the second time")));
  }

  void nothing_is_opened_while_the_engine_is_busy() {
    Someone someone(home_);
    someone.keeper.begin(false);
    QVERIFY(run_whole(someone, 300));
    const QString first = someone.window.lab().runs.place();
    QVERIFY(open_and_wait(someone, 1500));
    QVERIFY(run_and_pause(someone));
    const QString under_way = someone.window.lab().runs.place();
    QVERIFY(under_way != first);
    RunList panel(someone);
    QCOMPARE(entry(panel.library, under_way).standing, Standing::UnderWay);
    panel.choose(first);
    QTest::keyClick(panel.table, Qt::Key_Return);
    QVERIFY(someone.window.message_bar().isVisible());
    QCOMPARE(someone.window.lab().runs.place(), under_way);
    panel.choose(under_way);
    QVERIFY(panel.press("Delete"));
    QVERIFY(panel.row_of(under_way) >= 0);  // nor is it deleted
    someone.window.lab().runs.stop();
    QVERIFY(wait_for([&] { return someone.window.lab().runs.state() == RunController::State::Idle; }));
    QCOMPARE(entry(panel.library, under_way).standing, Standing::Partial);
    QVERIFY(panel.open(first));
    QVERIFY(panel.open(under_way));
    QCOMPARE(someone.lab().run().segment_count(), 2);
  }

  /// By the window's Undo, in turn with what else was done; the list's own Undo goes the same way.
  void a_deleted_run_comes_back_by_undo() {
    Someone someone(home_);
    someone.keeper.begin(false);
    RunList panel(someone);
    QVERIFY(run_whole(someone, 300));
    const QString first = someone.window.lab().runs.place();
    QVERIFY(run_whole(someone, 400));
    const QString second = someone.window.lab().runs.place();
    panel.library.set_tags(panel.library.index_of(first), {"kept"});
    QUndoStack& undo = someone.lab().undo_stack();
    LibraryController& library = someone.window.lab().library;
    library.remove({first, second});
    QCOMPARE(undo.undoText(), QStringLiteral("delete 2 runs"));
    QVERIFY(places_of(panel.library, ListedKind::Run).isEmpty());
    SegmentConfig config = someone.lab().config();
    config.retrieval_length -= 4;
    someone.lab().edit_settings(config, someone.lab().run_options().policy, QStringLiteral("less"));
    undo.undo();  // the settings
    QVERIFY(places_of(panel.library, ListedKind::Run).isEmpty());
    undo.undo();
    QCOMPARE(places_of(panel.library, ListedKind::Run).size(), 2);
    QCOMPARE(entry(panel.library, first).tags, QStringList("kept"));
    QVERIFY(QFile::exists(first) && QFile::exists(second) && panel.library.removed().empty());
    undo.redo();
    QVERIFY(places_of(panel.library, ListedKind::Run).isEmpty());
    undo.undo();

    library.remove({first});
    library.take_back();  // as the last thing done was to delete it
    QVERIFY(panel.library.index_of(first) >= 0 && undo.canRedo());
    undo.redo();
    library.remove({second});
    undo.undo();
    someone.lab().edit_settings(config, someone.lab().run_options().policy, QStringLiteral("less"));
    library.take_back();  // of what was deleted before other things were done
    QVERIFY(panel.library.index_of(first) >= 0);
    undo.undo();
    QVERIFY(panel.library.index_of(first) < 0 && panel.library.index_of(second) >= 0);
    panel.library.forget_removed();
    QTRY_VERIFY(!QFile::exists(first));
    while (undo.canUndo()) undo.undo();
    QVERIFY(panel.library.index_of(first) < 0);  // for good
  }

  void what_ifs_and_questions_come_back_by_undo() {
    Someone someone(home_);
    someone.keeper.begin(false);
    RunList panel(someone);
    Questions& questions = someone.lab().questions();
    for (const char* text : {"Who came?", "Why?"}) {
      Question asked;
      asked.text = text;
      questions.begin(asked);
      questions.add_text(false, QStringLiteral("Nobody."));
      questions.complete();
      questions.end();
    }
    QStringList listed = places_of(panel.library, ListedKind::Question);
    QCOMPARE(listed.size(), 2);
    QCOMPARE(entry(panel.library, listed[0]).name, QStringLiteral("Who came?"));
    panel.library.rename(panel.library.index_of(listed[0]), QStringLiteral("the guests"));
    panel.library.set_tags(panel.library.index_of(listed[0]), {"door"});
    QVERIFY(questions.all()[0].name == QStringLiteral("the guests") && questions.all()[0].tags == QStringList("door"));
    someone.window.lab().library.remove({listed[0]});
    QCOMPARE(questions.all().size(), std::size_t{1});
    someone.lab().undo_stack().undo();
    QCOMPARE(questions.all().size(), std::size_t{2});
    QCOMPARE(questions.all()[0].text, QStringLiteral("Who came?"));
    QCOMPARE(entry(panel.library, listed[0]).name, QStringLiteral("the guests"));
  }

  void more_than_the_limit_is_told_and_the_oldest_offered() {
    Someone someone(home_);
    someone.keeper.begin(false);
    RunList panel(someone);
    QStringList notes;
    connect(&someone.lab(), &LabContext::noted, this, [&](const QString& note, bool) { notes += note; });
    QStringList places;
    for (int i = 0; i < 3; ++i) {
      QVERIFY(run_whole(someone, 300));
      places += someone.window.lab().runs.place();
    }
    for (const QString& place : places) QTRY_COMPARE(entry(panel.library, place).bytes, QFileInfo(place).size());
    panel.table->model()->setData(panel.cell(places[0], RunLibraryTable::Tags), "paper");
    panel.library.set_limit(panel.library.disk_bytes() - 1);
    QCOMPARE(notes.filter("limit").size(), 1);
    QCoreApplication::processEvents();
    QToolButton* offer = nullptr;
    for (QToolButton* each : panel.panel->findChildren<QToolButton*>())
      if (each->text().startsWith("Delete the oldest")) offer = each;
    QVERIFY(offer != nullptr && offer->isVisible());
    for (const QString& place : places) QVERIFY(QFile::exists(place));  // nothing goes by itself
    offer->click();
    QCOMPARE(places_of(panel.library, ListedKind::Run), QStringList({places[0], places[2]}));
    panel.library.forget_removed();
    QTRY_VERIFY(!QFile::exists(places[1]));
    QCOMPARE(panel.library.bytes_over_limit(), std::int64_t{0});
    QCOMPARE(SettingsFile(home_ + "/settings.json").values.run_limit, panel.library.limit());
  }

  void keys_reach_the_list_and_its_parts() {
    Someone someone(home_);
    someone.keeper.begin(false);
    QVERIFY(run_whole(someone, 300));
    RunList panel(someone);
    someone.window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&someone.window));
    someone.window.docks().panel("text")->setFocus();
    QWidget* reached = nullptr;
    for (int i = 0; i < 8 && reached == nullptr; ++i) {
      QTest::keyClick(&someone.window, Qt::Key_F6);
      QWidget* focus = QApplication::focusWidget();
      if (focus != nullptr && panel.panel->isAncestorOf(focus)) reached = focus;
    }
    QVERIFY(reached != nullptr);
    std::set<QWidget*> seen;
    for (int i = 0; i < 30 && panel.panel->isAncestorOf(QApplication::focusWidget()); ++i) {
      seen.insert(QApplication::focusWidget());
      QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    }
    QVERIFY(seen.contains(panel.table) && seen.contains(panel.panel->findChild<QLineEdit*>()));
    for (QWidget* widget : seen) {
      const auto* button = qobject_cast<QToolButton*>(widget);
      QVERIFY(!widget->accessibleName().isEmpty() || (button != nullptr && !button->text().isEmpty()));
    }
    panel.panel->findChild<QLineEdit*>()->setText("no such run");
    QCOMPARE(panel.table->model()->rowCount(), 0);
    panel.panel->findChild<QLineEdit*>()->setText("demo segmented");
    QCOMPARE(panel.table->model()->rowCount(), 1);
  }

 private:
  std::unique_ptr<TempDir> folder_;
  QString home_;
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<RunsPanelTest>};
#include "runs_panel_test.moc"
