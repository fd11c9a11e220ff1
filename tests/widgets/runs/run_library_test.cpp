// SPDX-License-Identifier: GPL-3.0-or-later
// The list of runs by itself: what an entry keeps, what can be taken back, what the limit offers, and the table of it.
#include "widgets/lab/run_library.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include "tests/support/gui_test.h"
#include "widgets/runs/run_library_table.h"
#include "widgets/tables/row_filter.h"

using namespace carryover;

namespace {

ListedRun some_run(const QString& place, std::int64_t made_ms, std::int64_t bytes = 100) {
  ListedRun run;
  run.place = place;
  run.name = place.section(u'/', -1);
  run.policy = QStringLiteral("segmented");
  run.model = QStringLiteral("demo · fp32 · 01234567");
  run.tokens = run.expected_tokens = 1000 + made_ms;
  run.loss = 2.5;
  run.bytes = bytes;
  run.made_ms = made_ms;
  return run;
}

QStringList places(const RunLibrary& library, const std::vector<int>& rows) {
  QStringList found;
  for (const int row : rows) found += library.run(row).place;
  return found;
}

QStringList names(const QAbstractItemModel& model) {
  QStringList found;
  for (int row = 0; row < model.rowCount(); ++row) found += model.index(row, RunLibraryTable::Name).data().toString();
  return found;
}

}  // namespace

class RunLibraryTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void an_update_keeps_what_the_user_gave() {
    RunLibrary library;
    library.put(some_run("/s/a.journal", 1));
    library.rename(0, "  my   run ");
    library.set_tags(0, {"paper", " long text ", "", "paper"});
    library.set_ticked(0, true);
    ListedRun newer = some_run("/s/a.journal", 9, 500);
    newer.loss = 1.5;
    library.put(newer);
    QCOMPARE(library.count(), 1);
    QCOMPARE(library.run(0).name, QString("my run"));
    QCOMPARE(library.run(0).tags, QStringList({"paper", "long text"}));
    QVERIFY(library.run(0).ticked());
    QCOMPARE(library.run(0).made_ms, std::int64_t{1});
    QCOMPARE(library.run(0).loss, 1.5);
    QCOMPARE(library.disk_bytes(), std::int64_t{500});
    library.update(some_run("/s/other.journal", 1));  // not listed
    QCOMPARE(library.count(), 1);
  }

  void what_is_removed_can_be_taken_back_until_it_is_forgotten() {
    RunLibrary library;
    for (int i = 0; i < 3; ++i) library.put(some_run(QString("/s/%1.journal").arg(i), i));
    library.set_tags(1, {"kept"});
    QSignalSpy forgotten(&library, &RunLibrary::forgotten);
    library.remove(1);
    library.remove(0);
    QCOMPARE(library.count(), 1);
    QVERIFY(library.keeps("/s/1.journal") && library.index_of("/s/1.journal") < 0);
    QCOMPARE(library.disk_bytes(), std::int64_t{300});  // their files are still there
    library.take_back();
    QVERIFY(library.index_of("/s/0.journal") >= 0 && library.index_of("/s/1.journal") < 0);
    library.put(some_run("/s/1.journal", 7));  // opened again
    QCOMPARE(library.run(library.index_of("/s/1.journal")).tags, QStringList("kept"));
    QVERIFY(library.removed().empty());
    library.remove(library.index_of("/s/2.journal"));
    QCOMPARE(forgotten.count(), 0);
    library.forget_removed();
    QCOMPARE(forgotten.count(), 1);
    QCOMPARE(forgotten[0][0].toStringList(), QStringList("/s/2.journal"));
    QVERIFY(!library.keeps("/s/2.journal"));
    library.take_back();
    QCOMPARE(library.count(), 2);
  }

  void the_limit_offers_the_oldest_journals_without_a_tag() {
    RunLibrary library;
    for (const int made : {3, 1, 4, 2}) library.put(some_run(QString("/s/%1.journal").arg(made), made, 100));
    library.put(some_run("/mine/run", 0, 1'000'000));  // a folder of the user's counts for nothing
    library.set_tags(library.index_of("/s/1.journal"), {"kept"});
    library.set_limit(250);
    QCOMPARE(library.disk_bytes(), std::int64_t{400});
    QCOMPARE(library.bytes_over_limit(), std::int64_t{150});
    QCOMPARE(places(library, library.removal_candidates()), QStringList({"/s/2.journal", "/s/3.journal"}));
    library.remove(library.index_of("/s/2.journal"));  // over the limit until it is forgotten, but enough for one
    QCOMPARE(library.bytes_over_limit(), std::int64_t{150});
    QCOMPARE(places(library, library.removal_candidates()), QStringList("/s/3.journal"));
    library.set_limit(0);
    QCOMPARE(library.bytes_over_limit(), std::int64_t{0});
    QVERIFY(library.removal_candidates().empty());
  }

  void ticked_runs_come_in_the_order_of_the_ticks() {
    RunLibrary library;
    for (int i = 0; i < 3; ++i) library.put(some_run(QString("/s/%1.journal").arg(i), i));
    ListedRun training = some_run("/t", 5);
    training.kind = ListedKind::Training;
    training.tick = 1;
    library.put(training);
    for (const int i : {2, 0}) library.set_ticked(i, true);
    QCOMPARE(places(library, library.ticked_runs()), QStringList({"/s/2.journal", "/s/0.journal"}));
    library.set_ticked(2, false);
    library.set_ticked(2, true);
    QCOMPARE(places(library, library.ticked_runs()), QStringList({"/s/0.journal", "/s/2.journal"}));
    library.remove(0);
    QCOMPARE(places(library, library.ticked_runs()), QStringList("/s/2.journal"));
    library.set_ticked(library.index_of("/s/1.journal"), true);
    library.take_back();  // to its place: the colours of the others stay
    const QStringList all{"/s/0.journal", "/s/2.journal", "/s/1.journal"};
    QCOMPARE(places(library, library.ticked_runs()), all);
    RunLibrary next;
    std::vector<ListedRun> kept;
    for (int i = 0; i < library.count(); ++i) kept.push_back(library.run(i));
    for (ListedRun& run : kept) run.tick *= 200'000'000;  // numbers do not grow from session to session
    next.restore(kept);
    QCOMPARE(places(next, next.ticked_runs()), all);
    for (int i = 0; i < next.count(); ++i) QVERIFY(next.run(i).tick <= 4);
  }

  void the_table_follows_the_list() {
    RunLibrary library;
    RunLibraryTable table(library);
    QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
    for (int i = 0; i < 3; ++i) library.put(some_run(QString("/s/%1.journal").arg(i), i));
    QCOMPARE(table.rowCount(), 3);
    QVERIFY(table.setData(table.index(1, RunLibraryTable::Name), "renamed"));
    QVERIFY(table.setData(table.index(1, RunLibraryTable::Tags), "a, b c,, a"));
    QVERIFY(table.setData(table.index(1, RunLibraryTable::Name), Qt::Checked, Qt::CheckStateRole));
    QVERIFY(!table.setData(table.index(1, RunLibraryTable::Policy), "full"));
    QCOMPARE(library.run(1).name, QString("renamed"));
    QCOMPARE(table.index(1, RunLibraryTable::Tags).data().toString(), QString("a, b c"));
    QVERIFY(library.run(1).ticked());
    library.set_bytes("/s/2.journal", 0, false);
    QVERIFY(table.index(2, 0).data(Qt::ToolTipRole).toString().contains("No longer there"));
    ListedRun named = some_run("/s/3.journal", 3);
    named.name = "<img src='/etc/passwd'>";
    library.put(named);
    QVERIFY(table.index(3, 0).data(Qt::ToolTipRole).toString().startsWith(named.name));  // LabStyle shows it as it is
    library.remove(0);
    library.restore({some_run("/s/9.journal", 9)});
    QCOMPARE(names(table), QStringList("9.journal"));
  }

  void rows_are_found_by_words_and_sorted_by_number() {
    RunLibrary library;
    RunLibraryTable table(library);
    RowFilter filter;
    filter.setSourceModel(&table);
    for (const int made : {3, 20, 100}) library.put(some_run(QString("/s/%1.journal").arg(made), made, made));
    library.set_tags(0, {"Paper"});
    ListedRun other = some_run("/s/full.journal", 1, 1);
    other.policy = "full";
    library.put(other);
    filter.sort(RunLibraryTable::Size, Qt::AscendingOrder);
    QCOMPARE(names(filter), QStringList({"full.journal", "3.journal", "20.journal", "100.journal"}));
    filter.sort(RunLibraryTable::Name, Qt::AscendingOrder);
    filter.set_words("full");
    QCOMPARE(names(filter), QStringList("full.journal"));
    filter.set_words("segm paper");
    QCOMPARE(names(filter), QStringList("3.journal"));
    filter.set_words("demo fp32");
    QCOMPARE(filter.rowCount(), 4);
    filter.set_words("1003");  // a number is not a word
    QCOMPARE(filter.rowCount(), 0);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<RunLibraryTest>};
#include "run_library_test.moc"
