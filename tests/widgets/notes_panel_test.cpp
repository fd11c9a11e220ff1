// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/notes_panel.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QPlainTextEdit>
#include <QTableView>
#include <QTest>

#include "tests/support/gui_test.h"
#include "tests/support/synthetic_run.h"
#include "widgets/look/theme.h"

using namespace carryover;

class NotesPanelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void bookmarks_come_go_and_come_back() {
    LabContext lab;
    NotesPanel panel(lab);
    auto* table = panel.findChild<QTableView*>();
    const QAbstractItemModelTester tester(table->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    panel.resize(900, 300);
    panel.show();
    QVERIFY(QTest::qWaitForWindowActive(&panel));
    test::synthetic_run(lab.run(), 4, 4, test::synthetic_request(4));
    panel.add_bookmark();  // nothing is selected: nothing to keep
    QCOMPARE(table->model()->rowCount(), 0);
    lab.select({3, 8, 1, 517});
    panel.add_bookmark();
    lab.select_segment(1);
    panel.add_bookmark();
    QCOMPARE(table->model()->rowCount(), 2);
    const QModelIndex first = table->model()->index(0, BookmarksModel::Name);
    QVERIFY(first.data().toString().contains("segment 3"));
    QVERIFY(first.data().toString().contains("layer 8 head 1"));
    QVERIFY(first.data().toString().contains(lab.run().token_text(517)));
    QVERIFY(!table->model()->index(1, BookmarksModel::Token).data().isValid());
    Q_EMIT table->activated(first);
    QVERIFY((lab.selected() == Selection{3, 8, 1, 517}));
    QVERIFY(table->model()->setData(first, "renamed", Qt::EditRole));
    QVERIFY(!table->model()->setData(first, "  ", Qt::EditRole));
    QVERIFY(!table->model()->setData(table->model()->index(0, BookmarksModel::Head), 4, Qt::EditRole));
    table->selectAll();
    table->setFocus();
    QTest::keyClick(table, Qt::Key_Delete);
    QCOMPARE(table->model()->rowCount(), 0);
    for (int i = 0; i < 2; ++i) lab.undo_stack().undo();
    QCOMPARE(table->model()->rowCount(), 2);
    QCOMPARE(table->model()->index(0, BookmarksModel::Name).data().toString(), QString("renamed"));
    lab.undo_stack().undo();
    QVERIFY(table->model()->index(0, BookmarksModel::Name).data().toString() != "renamed");
    lab.undo_stack().redo();
    table->clearSelection();
    QTest::keyClick(table, Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
    const QStringList lines = QApplication::clipboard()->text().split('\n', Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 3);
    QCOMPARE(lines[1], QStringLiteral("renamed,3,8,1,517,%1").arg(QString::fromStdString(lab.run().origin().id)));
  }

  void a_bookmark_of_another_run_selects_nothing() {
    LabContext lab;
    test::synthetic_run(lab.run(), 4, 4, test::synthetic_request(4));
    lab.go_to({"of any run", {2, -1, -1, -1}});
    QCOMPARE(lab.selected().segment, 2);
    lab.go_to({"of another", {3, -1, -1, -1}, "run-elsewhere"});
    QCOMPARE(lab.selected().segment, 2);
    RunOrigin origin = lab.run().origin();
    origin.id = "run-elsewhere";
    lab.run().set_origin(origin);
    lab.go_to({"of this one", {3, -1, -1, -1}, "run-elsewhere"});
    QCOMPARE(lab.selected().segment, 3);
  }

  void the_text_and_the_notebook_say_the_same() {
    LabContext lab;
    NotesPanel panel(lab);
    auto* text = panel.findChild<QPlainTextEdit*>();
    QTest::keyClicks(text, "seen");
    QCOMPARE(lab.notebook().text(), QString("seen"));
    lab.notebook().restore("another\nsession", {{"b", {1, -1, -1, -1}}});
    QCOMPARE(text->toPlainText(), QString("another\nsession"));
    QVERIFY(lab.undo_stack().count() == 0);
    QVERIFY(!text->acceptDrops());  // a dropped file is opened by the window
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<NotesPanelTest>};
#include "notes_panel_test.moc"
