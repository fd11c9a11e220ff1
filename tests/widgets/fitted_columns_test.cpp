// SPDX-License-Identifier: GPL-3.0-or-later
// Columns of a table whose values come later: none is cut, and what the user made stays.
#include "widgets/controls/fitted_columns.h"

#include <QHeaderView>
#include <QStandardItemModel>
#include <QTableView>
#include <QTest>

#include "tests/support/gui_test.h"

using namespace carryover;
using namespace carryover::test;

class FittedColumnsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { fail_on_qt_warnings(); }

  void values_that_come_later_widen_their_column() {
    QStandardItemModel model(3, 3);
    QTableView view;
    view.setModel(&model);
    view.horizontalHeader()->setMaximumSectionSize(300);
    keep_columns_fitted(view);
    view.show();
    model.setItem(1, 0, new QStandardItem(QStringLiteral("0.667 [0.412, 0.857] 3 of 14")));
    const QAbstractItemView& contents = view;
    QTRY_VERIFY(view.columnWidth(0) >= contents.sizeHintForColumn(0));
    model.setItem(0, 2, new QStandardItem(QString(500, u'm')));
    QTRY_COMPARE(view.columnWidth(2), 300);
    const int before = view.columnWidth(0);
    model.setItem(1, 0, new QStandardItem(QStringLiteral("0")));  // narrower: columns don't jump to and fro
    model.appendRow(new QStandardItem(QStringLiteral("the value of a row that came later, wider than all others")));
    QTRY_VERIFY(view.columnWidth(0) > before);
  }

  void a_column_sized_by_hand_stays() {
    QStandardItemModel model(3, 2);
    QTableView view;
    view.setModel(&model);
    keep_columns_fitted(view);
    view.show();
    model.setItem(0, 0, new QStandardItem(QStringLiteral("a value")));
    const QAbstractItemView& contents = view;
    QTRY_VERIFY(view.columnWidth(0) >= contents.sizeHintForColumn(0));
    view.setColumnWidth(0, 50);
    for (const int column : {0, 1})
      model.setItem(2, column, new QStandardItem(QStringLiteral("a value much wider than fifty pixels are")));
    QTRY_VERIFY(view.columnWidth(1) >= contents.sizeHintForColumn(1));
    QCOMPARE(view.columnWidth(0), 50);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<FittedColumnsTest>};
#include "fitted_columns_test.moc"
